/** The audit log: filters, entries as they are written, and an export. */
import "../text/chunks/audit-log.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { elementId } from "../descriptors/setting.ts";
import { suggestPeople, toChip } from "../parts/people-chips.ts";
import { exportAddress, fetchActions, fetchEntries, followEntries, matches } from "../store/audit-log.ts";
import type { AuditFilter, Entry } from "../store/audit-log.ts";
import { findPerson } from "../store/people.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField } from "../ui/chips.tsx";
import { Failure } from "../ui/failure.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { AuditEntryRow } from "./audit-entry.tsx";
import { actionName, groupsOf, targetKindName, targetKinds } from "./audit-texts.ts";
import styles from "./audit-log.module.css";

export default function AuditLog() {
  const [actions, setActions] = useState<readonly string[]>();
  const [failure, setFailure] = useState<unknown>();
  const load = (): void => {
    setFailure(undefined);
    fetchActions().then(setActions, setFailure);
  };
  useEffect(load, []);
  if (failure !== undefined) return <Failure error={failure} onRetry={load} />;
  if (!actions) return <Skeleton rows={8} height={52} />;
  return <Log actions={actions} />;
}

interface Shown {
  entries: readonly Entry[];
  hasMore: boolean;
}

function Log({ actions }: { actions: readonly string[] }) {
  const [filter, setFilter] = useState<AuditFilter>({});
  const [shown, setShown] = useState<Shown>();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  /** Of two requests, the later one's response is shown. */
  const last = useRef(0);
  /** For what arrives between renders. */
  const current = useRef(filter);
  current.current = filter;

  const load = async (before?: number): Promise<void> => {
    const turn = ++last.current;
    setFailure(undefined);
    setBusy(true);
    try {
      const { entries, has_more } = await fetchEntries(current.current, actions, before);
      if (turn !== last.current) return;
      setShown((old) => ({
        entries:
          before === undefined
            ? newestFirst([...arrivedSince(old, entries), ...entries])
            : [...(old?.entries ?? []), ...entries],
        hasMore: has_more,
      }));
    } catch (error) {
      if (turn === last.current) setFailure(error);
    }
    if (turn === last.current) setBusy(false);
  };
  useEffect(() => {
    setShown(undefined);
    void load();
  }, [filter]);
  useEffect(
    () =>
      followEntries({
        onEntry: (entry) => {
          if (matches(entry, current.current))
            setShown((old) => ({
              entries: newestFirst([entry, ...(old?.entries ?? [])]),
              hasMore: old?.hasMore ?? false,
            }));
        },
        onGap: () => void load(),
      }),
    [],
  );

  const oldest = shown?.entries.at(-1)?.id;
  return (
    <section id={elementId("audit-log")}>
      <Filters actions={actions} filter={filter} onChange={setFilter} />
      <div class={styles.tools}>
        <a class={styles.export} href={exportAddress(filter, actions)}>
          <Icon name="download" /> {t("audit.export")}
        </a>
        {Object.keys(filter).length > 0 && (
          <Button kind="quiet" icon="x" onClick={() => setFilter({})}>
            {t("audit.clear")}
          </Button>
        )}
      </div>
      {shown && shown.entries.length === 0 && !isBusy && (
        <p class={styles.none} role="status">
          {t("audit.none")}
        </p>
      )}
      {shown && shown.entries.length > 0 && (
        <ul class={styles.list} aria-label={t("audit.entries")}>
          {shown.entries.map((entry) => (
            <AuditEntryRow key={entry.id} entry={entry} onFilter={setFilter} />
          ))}
        </ul>
      )}
      {!shown && failure === undefined && <Skeleton rows={8} height={52} />}
      {failure !== undefined && <Failure error={failure} onRetry={() => void load(oldest)} />}
      {shown?.hasMore && failure === undefined && (
        <Button busy={isBusy} onClick={() => void load(oldest)}>
          {t("audit.older")}
        </Button>
      )}
    </section>
  );
}

/** What events have added is newer than a page, or part of it. */
const arrivedSince = (old: Shown | undefined, [newest]: readonly Entry[]): readonly Entry[] =>
  (old?.entries ?? []).filter(({ id }) => newest === undefined || id > newest.id);

const newestFirst = (entries: readonly Entry[]): Entry[] =>
  [...new Map(entries.map((entry) => [entry.id, entry])).values()].toSorted((a, b) => b.id - a.id);

interface FiltersProps {
  actions: readonly string[];
  filter: AuditFilter;
  onChange: (filter: AuditFilter) => void;
}

function Filters({ actions, filter, onChange }: FiltersProps) {
  /** A value that is undefined ends that filter. */
  const set = (changed: { [Name in keyof AuditFilter]: AuditFilter[Name] | undefined }): void =>
    onChange(Object.fromEntries(Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== undefined)));
  return (
    <div class={styles.filters} role="search" aria-label={t("audit.filters")}>
      <ChipsField
        label={t("audit.actor")}
        chips={filter.actor_id === undefined ? [] : [toChip(findPerson(filter.actor_id))]}
        placeholder={t("audit.anybody")}
        suggest={suggestPeople}
        onChange={(chips) => set({ actor_id: chips.length === 0 ? undefined : Number(chips.at(-1)?.key) })}
      />
      <SelectField
        label={t("audit.action")}
        value={filter.action ?? ""}
        options={[
          { value: "", label: t("audit.anyAction") },
          ...groupsOf(actions).flatMap(([kind, ofKind]) => [
            ...(ofKind.length > 1
              ? [{ value: `${kind}.`, label: t("audit.allOf", { kind: targetKindName(kind) }) }]
              : []),
            ...ofKind.map((action) => ({ value: action, label: actionName(action) })),
          ]),
        ]}
        onChange={(event) => set({ action: event.currentTarget.value || undefined })}
      />
      <SelectField
        label={t("audit.target")}
        value={filter.target_kind ?? ""}
        options={[
          { value: "", label: t("audit.anyTarget") },
          ...targetKinds.map((kind) => ({ value: kind, label: targetKindName(kind) })),
        ]}
        onChange={(event) => set({ target_kind: event.currentTarget.value || undefined, target_id: undefined })}
      />
      <TextField
        label={t("audit.targetId")}
        type="number"
        min={1}
        disabled={filter.target_kind === undefined}
        value={filter.target_id === undefined ? "" : String(filter.target_id)}
        onChange={(event) => {
          const id = event.currentTarget.valueAsNumber;
          set({ target_id: Number.isSafeInteger(id) ? id : undefined });
        }}
      />
      <DayField label={t("audit.since")} value={filter.since} onChange={(since) => set({ since })} />
      <DayField label={t("audit.until")} isEnd value={filter.until} onChange={(until) => set({ until })} />
    </div>
  );
}

interface DayFieldProps {
  label: string;
  /** The end of the day, not its beginning. */
  isEnd?: boolean;
  value: number | undefined;
  onChange: (seconds: number | undefined) => void;
}

/** A day on this device, as a time in seconds. */
const DayField = ({ label, isEnd = false, value, onChange }: DayFieldProps) => (
  <TextField
    label={label}
    type="date"
    value={value === undefined ? "" : dayText(value)}
    onChange={(event) => {
      const time = new Date(`${event.currentTarget.value}T${isEnd ? "23:59:59" : "00:00:00"}`).getTime();
      onChange(Number.isNaN(time) || time < 0 ? undefined : time / 1000);
    }}
  />
);

function dayText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
