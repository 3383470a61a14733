/** A secret that the server returns this once. */
import "../../text/chunks/sign-on.ts";
import { toast } from "../../store/toasts.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import styles from "./sign-on.module.css";

interface ShownOnceProps {
  label: string;
  hint: string;
  value: string;
  onClose: () => void;
}

export const ShownOnce = ({ label, hint, value, onClose }: ShownOnceProps) => (
  <Dialog
    title={label}
    keepsOnOutsidePress
    onClose={onClose}
    actions={
      <Button kind="primary" onClick={onClose}>
        {t("signOn.done")}
      </Button>
    }
  >
    <p>{hint}</p>
    <div class={styles.secret}>
      <output aria-label={label}>{value}</output>
      <Button
        icon="copy"
        onClick={() => void navigator.clipboard.writeText(value).then(() => toast(t("signOn.copied")))}
      >
        {t("signOn.copy")}
      </Button>
    </div>
  </Dialog>
);
