/** Chooses when the notification bot reminds the reader of a message. Stays open until the server has accepted it. */
import "../text/chunks/fields.ts";
import "../text/chunks/conversation.ts";
import "../text/chunks/message-actions.ts";
import { createReminder } from "@skein/api/routes/reminders.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { addressOf, go } from "../navigation/router.ts";
import type { Message } from "../store/messages.ts";
import { reasonOf } from "../store/reasons.ts";
import { ownZone } from "../store/scheduled.ts";
import { part } from "../store/state.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { writtenTime } from "../text/time.ts";
import { fieldValue, laterTimes, parseFieldValue, secondsAt, wallTime } from "../text/zones.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, TextArea, TextField } from "../ui/field.tsx";

interface RemindDialogProps {
  message: Message;
  onClose: () => void;
}

export function RemindDialog({ message, onClose }: RemindDialogProps) {
  const zone = ownZone();
  const now = Date.now() / 1000;
  const [value, setValue] = useState(fieldValue(wallTime(laterTimes(now, zone).tomorrow, zone)));
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const save = async (): Promise<void> => {
    const wall = parseFieldValue(value);
    if (isBusy) return;
    if (!wall) {
      setError(t("scheduled.timeNeeded"));
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      const at = secondsAt(wall, zone);
      const noted = note.trim() === "" ? {} : { note: note.trim() };
      await call(createReminder, { message_id: message.id, scheduled_delivery_timestamp: at, ...noted });
      onClose();
      toast(t("remind.done", { time: writtenTime(at, zone) }), {
        action: { label: t("scheduled.show"), run: () => go(addressOf({ kind: "drafts" })) },
      });
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("remind.title")}
      onClose={onClose}
      onSubmit={() => void save()}
      keepsOnOutsidePress
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t("remind.submit")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("scheduled.time")}
        type="datetime-local"
        hint={t("scheduled.zone", { zone })}
        min={fieldValue(wallTime(now, zone))}
        value={value}
        required
        autofocus
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <TextArea
        label={t("remind.note")}
        isOptional
        rows={3}
        maxLength={part("max_reminder_note_length").value ?? 1000}
        value={note}
        onInput={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <FieldError id="remind-error" error={error} />
    </Dialog>
  );
}
