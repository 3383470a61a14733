/** Chooses the time of a scheduled message, and edits its text. Stays open until the server has accepted both. */
import "../text/chunks/fields.ts";
import "../text/chunks/conversation.ts";
import { useState } from "preact/hooks";
import { reasonOf } from "../store/reasons.ts";
import { ownZone } from "../store/scheduled.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { fieldValue, laterTimes, parseFieldValue, secondsAt, wallTime } from "../text/zones.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, TextArea, TextField } from "../ui/field.tsx";

interface ScheduleDialogProps {
  title: string;
  /** Of a message that is scheduled already. */
  message?: { content: string; at: number };
  onSave: (at: number, content: string) => Promise<void>;
  onClose: () => void;
}

export function ScheduleDialog({ title, message, onSave, onClose }: ScheduleDialogProps) {
  const zone = ownZone();
  const now = Date.now() / 1000;
  // A time that has passed cannot be kept.
  const first = message && message.at > now ? message.at : laterTimes(now, zone).tomorrow;
  const shownFirst = fieldValue(wallTime(first, zone));
  const [value, setValue] = useState(shownFirst);
  const [content, setContent] = useState(message?.content ?? "");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const save = async (): Promise<void> => {
    const wall = parseFieldValue(value);
    if (isBusy) return;
    if (!wall || (message && content.trim() === "")) {
      setError(t(wall ? "scheduled.textNeeded" : "scheduled.timeNeeded"));
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      // A field without seconds does not move a message that has some.
      await onSave(value === shownFirst ? first : secondsAt(wall, zone), content.trim());
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void save()}
      keepsOnOutsidePress
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t(message ? "scheduled.save" : "composer.schedule")}
          </Button>
        </>
      }
    >
      {message && (
        <TextArea
          label={t("scheduled.text")}
          rows={5}
          maxLength={part("max_message_length").value ?? 10_000}
          value={content}
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
      )}
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
      <FieldError id="schedule-error" error={error} />
    </Dialog>
  );
}
