/** Reports a message to the moderators, with the message in view. */
import "../text/chunks/fields.ts";
import "../text/chunks/message-actions.ts";
import { reportMessage } from "@skein/api/routes/reports.ts";
import type { ReportType } from "@skein/api/reports.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { MessageContent } from "../content/message-content.tsx";
import type { Message } from "../store/messages.ts";
import { reasonOf } from "../store/reasons.ts";
import { part } from "../store/state.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, SelectField, TextArea } from "../ui/field.tsx";
import styles from "./dialogs.module.css";

interface ReportDialogProps {
  message: Message;
  onClose: () => void;
}

const maxDescriptionLength = 1000;

export function ReportDialog({ message, onClose }: ReportDialogProps) {
  const reasons = part("server_report_message_types").value ?? [];
  const [reason, setReason] = useState(reasons[0]?.key ?? "other");
  const [description, setDescription] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const report = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const explained = description.trim() === "" ? {} : { description: description.trim() };
      await call(reportMessage, { message_id: message.id, report_type: reason as ReportType, ...explained }); // one of the server's
      onClose();
      toast(t("report.done"));
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("report.title")}
      onClose={onClose}
      onSubmit={() => void report()}
      keepsOnOutsidePress
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t("report.submit")}
          </Button>
        </>
      }
    >
      <p>{t("report.text")}</p>
      <div class={styles.excerpt}>
        <MessageContent html={message.content} />
      </div>
      <SelectField
        label={t("report.reason")}
        options={reasons.map(({ key, name }) => ({ value: key, label: name }))}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <TextArea
        label={t("report.description")}
        isOptional={reason !== "other"}
        rows={3}
        maxLength={maxDescriptionLength}
        value={description}
        onInput={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <FieldError id="report-error" error={error} />
    </Dialog>
  );
}
