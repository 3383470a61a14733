/** The API key of a bot: shown on demand, copied, downloaded, and replaced. */
import "../text/chunks/controls.ts";
import { useState } from "preact/hooks";
import { renewBotKey } from "../store/bots.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ApiKey } from "./api-key.tsx";
import styles from "./bot-key.module.css";
import { DangerDialog } from "./danger-dialog.tsx";

interface BotKeyProps {
  userId: number;
  name: string;
  email: string;
  /** Empty if the server could not store it. */
  apiKey: string;
}

export function BotKey({ userId, name, email, apiKey }: BotKeyProps) {
  const [isShown, setShown] = useState(false);
  const [isRenewing, setRenewing] = useState(false);
  return (
    <div role="group" aria-label={t("bots.key")}>
      <h4 class={styles.label}>{t("bots.key")}</h4>
      {apiKey === "" && <p class={styles.note}>{t("bots.noKey")}</p>}
      {isShown && apiKey !== "" && <ApiKey email={email} value={apiKey} />}
      <div class={styles.buttons}>
        {apiKey !== "" && (
          <Button icon={isShown ? "eye-off" : "eye"} onClick={() => setShown(!isShown)}>
            {t(isShown ? "bots.hideKey" : "bots.showKey")}
          </Button>
        )}
        <Button kind="quiet" icon="refresh-cw" onClick={() => setRenewing(true)}>
          {t("bots.renewKey")}
        </Button>
      </div>
      {isRenewing && (
        <DangerDialog
          title={t("bots.renewKey")}
          action={t("bots.renewKey")}
          run={() => renewBotKey(userId)}
          onClose={() => setRenewing(false)}
        >
          <p>{t("bots.renewKey.effect", { name })}</p>
        </DangerDialog>
      )}
    </div>
  );
}
