/** Does the same to several users, one after the other: who is left out and why, how far it is, and what failed. */
import "../../text/chunks/fields.ts";
import "../../text/chunks/members.ts";
import { useRef, useState } from "preact/hooks";
import type { Person } from "../../store/people.ts";
import { reasonOf } from "../../store/reasons.ts";
import { toast } from "../../store/toasts.ts";
import { listNames } from "../../text/names.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import type { Job } from "./bulk-jobs.tsx";
import styles from "./people.module.css";

interface BulkDialogProps {
  job: Job;
  people: readonly Person[];
  onClose: () => void;
}

interface Failed {
  person: Person;
  reason: string;
}

const maxListed = 20;

export function BulkDialog({ job, people, onClose }: BulkDialogProps) {
  const options = job.choices?.options() ?? [];
  const [choice, setChoice] = useState(options[0]?.value ?? "");
  const [left, setLeft] = useState<readonly Person[]>(people);
  const [done, setDone] = useState<number>();
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const isStopped = useRef(false);
  const isBusy = done !== undefined;

  const objections = left.flatMap((person): Failed[] => {
    const reason = job.objection(person, choice);
    return reason === undefined ? [] : [{ person, reason }];
  });
  const excluded = new Set(objections.map(({ person }) => person));
  const concerned = left.filter((person) => !excluded.has(person));

  const run = async (): Promise<void> => {
    if (isBusy || concerned.length === 0) return;
    const failures: Failed[] = [];
    for (const [index, person] of concerned.entries()) {
      if (isStopped.current) return;
      setDone(index);
      try {
        await job.run(person, choice);
      } catch (error) {
        failures.push({ person, reason: reasonOf(error) });
      }
    }
    setDone(undefined);
    if (failures.length === 0) {
      onClose();
      toast(t("members.doneFor", { count: concerned.length }));
      return;
    }
    setFailed(failures);
    setLeft(failures.map(({ person }) => person));
  };
  const close = (): void => {
    isStopped.current = true;
    onClose();
  };
  const consequences = job.consequences(concerned);
  return (
    <Dialog
      title={job.title(concerned.length)}
      onClose={close}
      keepsOnOutsidePress
      onSubmit={() => void run()}
      actions={
        <>
          <Button onClick={close}>{t("ui.cancel")}</Button>
          <Button
            kind={job.isDangerous ? "danger" : "primary"}
            type="submit"
            busy={isBusy}
            aria-disabled={concerned.length === 0}
          >
            {t(job.action)}
          </Button>
        </>
      }
    >
      {concerned.length > 0 && (
        <p class={styles.names}>
          {listNames(
            concerned.map(({ full_name }) => full_name),
            6,
          )}
        </p>
      )}
      {job.choices && (
        <SelectField
          label={t(job.choices.label)}
          value={choice}
          options={options}
          disabled={isBusy}
          onChange={(event) => setChoice(event.currentTarget.value)}
        />
      )}
      {consequences.length > 0 && (
        <ul class={styles.consequences}>
          {consequences.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <Reasons title={t("members.leftOut", { count: objections.length })} of={objections} />
      {!isBusy && <Reasons title={t("members.failedFor", { count: failed.length })} of={failed} isError />}
      <p role="status" class={styles.quiet}>
        {isBusy && t("members.progress", { done: done + 1, count: concerned.length })}
      </p>
    </Dialog>
  );
}

const Reasons = ({ title, of, isError }: { title: string; of: readonly Failed[]; isError?: boolean }) =>
  of.length === 0 ? null : (
    <div role={isError ? "alert" : undefined} class={isError ? styles.failures : styles.quiet}>
      <p>{title}</p>
      <ul class={styles.consequences}>
        {of.slice(0, maxListed).map(({ person, reason }) => (
          <li key={person.user_id}>
            {person.full_name}: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
