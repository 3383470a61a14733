/** Deleting cannot be undone, so it is confirmed, with the message in view. */
import "../text/chunks/fields.ts";
import "../text/chunks/message-actions.ts";
import { deleteMessage } from "@skein/api/routes/deletion.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { listControls } from "../commands/selection.ts";
import { MessageContent } from "../content/message-content.tsx";
import type { Message } from "../store/messages.ts";
import { reasonOf } from "../store/reasons.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError } from "../ui/field.tsx";
import { announce } from "../store/announcements.ts";
import styles from "./dialogs.module.css";

interface DeleteDialogProps {
  message: Message;
  onClose: () => void;
}

export function DeleteDialog({ message, onClose }: DeleteDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const remove = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await call(deleteMessage, { message_id: message.id });
      // Move focus to a neighbor before the row is gone.
      onClose();
      listControls.peek()?.move(-1);
      announce(t("delete.done"));
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("delete.title")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="danger" busy={isBusy} onClick={() => void remove()}>
            {t("message.delete")}
          </Button>
        </>
      }
    >
      <p>{t("delete.text")}</p>
      <div class={styles.excerpt}>
        <MessageContent html={message.content} />
      </div>
      <FieldError id="delete-error" error={error} />
    </Dialog>
  );
}
