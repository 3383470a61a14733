/** Editing a message in place, with the same composer as everywhere. */
import "../text/chunks/fields.ts";
import "../text/chunks/conversation.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Composer, type Drafts } from "../composer/composer.tsx";
import { composerSettings } from "./composer-settings.ts";
import { listControls } from "../commands/selection.ts";
import { cancelEdit, editedText, editOf, keepEditedText, saveEdit } from "../store/edits.ts";
import type { Message } from "../store/messages.ts";
import { editableUntil } from "../store/permissions.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { FieldError } from "../ui/field.tsx";
import styles from "./message-editor.module.css";

const drafts: Drafts = {
  read: (key) => editedText(Number(key)),
  write: (key, text) => keepEditedText(Number(key), text),
};

export default function MessageEditor({ message }: { message: Message }) {
  const { id } = message;
  const edit = useMemo(() => editOf(id), [id]).value;
  const leave = (): void => {
    cancelEdit(id);
    listControls.peek()?.focus();
  };
  return (
    <div class={styles.editor}>
      <Composer
        label={t("edit.label")}
        draftKey={String(id)}
        drafts={drafts}
        {...composerSettings()}
        onEnterSends={undefined}
        sendLabel={t("edit.save")}
        onSend={(text) => {
          saveEdit(message, text);
          listControls.peek()?.focus();
        }}
        onLeave={leave}
        autofocus
      />
      <FieldError id={`edit-${id}-error`} error={edit?.state === "open" ? edit.reason : undefined} />
      <div class={styles.foot}>
        <TimeLeft until={editableUntil(message)} />
        <Button kind="quiet" onClick={leave}>
          {t("ui.cancel")}
        </Button>
      </div>
    </div>
  );
}

/** Shown when the time limit is near. */
const nearEnd = 120;

function TimeLeft({ until }: { until: number | undefined }) {
  const secondsLeft = (): number => Math.floor((until ?? 0) - Date.now() / 1000);
  const [left, setLeft] = useState(secondsLeft);
  const isLimited = until !== Infinity;
  useEffect(() => {
    if (!isLimited) return undefined;
    const timer = setInterval(() => setLeft(secondsLeft()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  if (!isLimited || left > nearEnd) return <span />;
  return (
    <span class={styles.left} role="timer">
      {left > 0 ? t("edit.left", { count: left }) : t("edit.over")}
    </span>
  );
}
