/** The reader's status: an emoji and a short text. */
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { useOptimistic } from "../controls/use-optimistic.ts";
import { TextSetting } from "../controls/text-setting.tsx";
import { elementId } from "../descriptors/setting.ts";
import { EmojiButton } from "../emoji/emoji-button.tsx";
import { StatusEmoji } from "../parts/status.tsx";
import { emoji } from "../store/emoji.ts";
import { clearStatus, ownStatus, saveStatusEmoji, saveStatusText } from "../store/own-profile.ts";
import { reasonOf } from "../store/reasons.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { FieldError } from "../ui/field.tsx";
import styles from "./status-field.module.css";

const maxTextLength = 60;

export function StatusField() {
  const status = ownStatus();
  const text = useOptimistic(status?.status_text ?? "", saveStatusText);
  const [error, setError] = useState<string>();
  const run = (request: Promise<unknown>): void => {
    setError(undefined);
    request.catch((failure: unknown) => setError(reasonOf(failure)));
  };
  const isSet = (status?.status_text ?? "") !== "" || (status?.emoji_name ?? "") !== "";
  return (
    <div id={elementId("status")} class={styles.status} role="group" aria-label={t("settings.status")}>
      <div class={styles.text}>
        <TextSetting
          {...text}
          label={t("settings.status")}
          hint={t("settings.status.hint")}
          disabled={false}
          control={{ kind: "text", maxLength: maxTextLength }}
        />
      </div>
      <div class={styles.buttons}>
        {status && <StatusEmoji status={status} />}
        <EmojiButton
          source={emoji}
          icon="smile-plus"
          label={t("settings.statusEmoji")}
          onChoose={(chosen) => run(saveStatusEmoji(chosen))}
        />
        {isSet && (
          <Button kind="quiet" onClick={() => run(clearStatus())}>
            {t("settings.clearStatus")}
          </Button>
        )}
      </div>
      <FieldError id="status-error" error={error} />
    </div>
  );
}
