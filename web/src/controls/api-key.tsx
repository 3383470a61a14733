/** An API key, to copy or to download as a configuration file. */
import "../text/chunks/controls.ts";
import { zuliprc } from "../store/account.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { download } from "../ui/download.ts";
import styles from "./api-key.module.css";

interface ApiKeyProps {
  email: string;
  value: string;
}

export const ApiKey = ({ email, value }: ApiKeyProps) => (
  <div class={styles.key}>
    <output class={styles.text} aria-label={t("settings.apiKey")}>
      {value}
    </output>
    <Button
      icon="copy"
      onClick={() => void navigator.clipboard.writeText(value).then(() => toast(t("settings.keyCopied")))}
    >
      {t("settings.copyKey")}
    </Button>
    <Button icon="download" onClick={() => download("zuliprc", zuliprc({ email, key: value }))}>
      {t("settings.downloadRc")}
    </Button>
  </div>
);
