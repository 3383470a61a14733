/** Logging out erases unsent text from this browser, so it is confirmed if there is any. */
import "../text/chunks/fields.ts";
import "../text/chunks/sign-in.ts";
import { useState } from "preact/hooks";
import { signOut } from "../api/session.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError } from "../ui/field.tsx";

export default function SignOutDialog({ onClose }: { onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const leave = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await signOut();
    } catch {
      setError(t("failure.noAnswer"));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("signOut.title")}
      width="narrow"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="danger" busy={isBusy} onClick={() => void leave()}>
            {t("signOut.label")}
          </Button>
        </>
      }
    >
      <p>{t("signOut.text")}</p>
      <FieldError id="sign-out-error" error={error} />
    </Dialog>
  );
}
