/** An entry of the audit log: who did what to whom; opened, also what was before and after, and from where. */
import "../text/chunks/audit-log.ts";
import { useState } from "preact/hooks";
import type { AuditFilter, Entry } from "../store/audit-log.ts";
import { findPerson } from "../store/people.ts";
import { t } from "../text/t.ts";
import { fullTime, shortTime } from "../text/time.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { actionName, actorName, changesOf, fieldName, targetName, valueText } from "./audit-texts.ts";
import styles from "./audit-log.module.css";

interface AuditEntryProps {
  entry: Entry;
  onFilter: (filter: AuditFilter) => void;
}

export function AuditEntryRow({ entry, onFilter }: AuditEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const target = targetName(entry);
  return (
    <li class={styles.entry}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class={styles.summary}>
          <Icon name="chevron-right" size={14} class={styles.arrow} />
          <Actor entry={entry} />
          <span class={styles.what}>
            <span class={styles.action}>{actionName(entry.action)}</span>
            {target !== undefined && (
              <span class={styles.target} dir="auto">
                {target}
              </span>
            )}
          </span>
          <time class={styles.time} dateTime={new Date(entry.at * 1000).toISOString()} title={fullTime(entry.at)}>
            {shortTime(entry.at)}
          </time>
        </summary>
        {isOpen && <Details entry={entry} onFilter={onFilter} />}
      </details>
    </li>
  );
}

function Actor({ entry }: { entry: Entry }) {
  const { actor } = entry;
  const person = actor.id === null || !isAccount(actor.kind) ? undefined : findPerson(actor.id);
  return (
    <span class={styles.actor}>
      {person ? (
        <Avatar name={person.full_name} src={person.avatar_url ?? `/avatar/${person.user_id}`} size={24} />
      ) : (
        <span class={styles.noFace}>
          <Icon name={actor.kind === "anonymous" ? "circle-help" : "settings"} size={14} />
        </span>
      )}
      <span class={styles.name} dir="auto">
        {actorName(entry)}
      </span>
    </span>
  );
}

const isAccount = (kind: string): boolean => kind === "user" || kind === "bot";

function Details({ entry, onFilter }: AuditEntryProps) {
  const { actor, target, credential } = entry;
  const actorId = isAccount(actor.kind) ? actor.id : null;
  const targetId = target.id;
  return (
    <div class={styles.details}>
      <Changes entry={entry} />
      <dl class={styles.facts}>
        <Fact label={t("audit.time")} value={fullTime(entry.at)} />
        {entry.ip !== null && <Fact label={t("audit.ip")} value={entry.ip} />}
        {credential && (
          <Fact
            label={t("audit.credential")}
            value={t(credential.kind === "session" ? "audit.session" : "audit.key", { id: String(credential.id) })}
          />
        )}
        {targetId !== null && <Fact label={t("audit.targetId")} value={String(targetId)} />}
        {entry.request_id !== null && <Fact label={t("audit.request")} value={entry.request_id} isCode />}
        <Fact label={t("audit.entry")} value={String(entry.id)} />
        <Fact label={t("audit.hash")} value={entry.hash} isCode />
      </dl>
      <div class={styles.more}>
        {actorId !== null && (
          <Button kind="quiet" icon="list-filter" onClick={() => onFilter({ actor_id: actorId })}>
            {t("audit.onlyActor", { name: actorName(entry) })}
          </Button>
        )}
        {targetId !== null && (
          <Button
            kind="quiet"
            icon="list-filter"
            onClick={() => onFilter({ target_kind: target.kind, target_id: targetId })}
          >
            {t("audit.onlyTarget")}
          </Button>
        )}
      </div>
    </div>
  );
}

const Fact = ({ label, value, isCode = false }: { label: string; value: string; isCode?: boolean }) => (
  <>
    <dt>{label}</dt>
    <dd class={isCode ? styles.code : undefined}>{value}</dd>
  </>
);

function Changes({ entry }: { entry: Entry }) {
  const changes = changesOf(entry);
  if (changes.length === 0) return null;
  const [hasBefore, hasAfter] = [entry.before !== null, entry.after !== null];
  return (
    <table class={styles.changes}>
      <thead>
        <tr>
          <th scope="col">{t("audit.field")}</th>
          {hasBefore && <th scope="col">{t("audit.before")}</th>}
          {hasAfter && <th scope="col">{t("audit.after")}</th>}
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{fieldName(name)}</th>
            {hasBefore && (
              <td dir="auto" data-label={t("audit.before")}>
                {valueText(name, before)}
              </td>
            )}
            {hasAfter && (
              <td dir="auto" data-label={t("audit.after")}>
                {valueText(name, after)}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
