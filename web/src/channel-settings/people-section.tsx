/** Who is subscribed to a channel: find, add and remove people. */
import "../text/chunks/roles.ts";
import "../text/chunks/channel-settings.ts";
import { useMemo, useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { elementId } from "../descriptors/setting.ts";
import { openPanel } from "../navigation/router.ts";
import { mayAddPeople, mayRemovePeople } from "../store/channel-permissions.ts";
import { findChannel, type Channel } from "../store/channels.ts";
import { findKnownPerson, peopleById, type Person } from "../store/people.ts";
import { reasonOf } from "../store/reasons.ts";
import { roles } from "../store/roles.ts";
import { ownId } from "../store/state.ts";
import { addToChannel, loadSubscribers, removeSubscribers, subscribersOf } from "../store/subscribers.ts";
import { toast } from "../store/toasts.ts";
import { language, t, type TextKey } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { FilterField } from "../ui/filter-field.tsx";
import { Rows } from "../ui/rows.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { AddPeople } from "./add-people.tsx";
import { Note } from "./note.tsx";
import styles from "./people-section.module.css";

const rowHeight = 48;

export default function PeopleSection({ subjectId }: SectionViewProps) {
  const channel = findChannel(subjectId);
  if (!channel) return null;
  return (
    <>
      {channel.is_archived ? (
        <Note icon="archive">{t("channelSettings.archivedNote")}</Note>
      ) : mayAddPeople(channel) ? (
        <AddPeople channel={channel} />
      ) : (
        <Note icon="info">{t("channelSettings.mayNotAdd")}</Note>
      )}
      <Subscribers channel={channel} />
    </>
  );
}

interface Subscriber {
  id: number;
  name: string;
}

/** By name. Deactivated people are not subscribers; people the reader cannot see have no name. */
function listed(ids: ReadonlySet<number>, people: typeof peopleById.value): Subscriber[] {
  const collator = new Intl.Collator(language(), { sensitivity: "base", numeric: true });
  return [...ids]
    .filter((id) => people.get(id)?.isActive !== false)
    .map((id) => ({ id, name: people.get(id)?.full_name ?? "" }))
    .toSorted((a, b) => collator.compare(a.name, b.name) || a.id - b.id);
}

function matching(subscribers: readonly Subscriber[], query: string, people: typeof peopleById.value): Subscriber[] {
  const wanted = query.trim().toLowerCase();
  const texts = (id: number): string => {
    const person = people.get(id);
    return `${person?.full_name ?? ""}\n${person?.delivery_email ?? ""}`.toLowerCase();
  };
  return wanted === "" ? [...subscribers] : subscribers.filter(({ id }) => texts(id).includes(wanted));
}

function Subscribers({ channel }: { channel: Channel }) {
  const { ids, failure } = subscribersOf(channel.stream_id);
  const [query, setQuery] = useState("");
  const people = peopleById.value;
  const all = useMemo(() => (ids.value ? listed(ids.value, people) : undefined), [ids.value, people]);
  if (failure.value !== undefined)
    return <Failure error={failure.value} onRetry={() => loadSubscribers(channel.stream_id)} />;
  if (!all) return <Skeleton rows={6} height={rowHeight} hasAvatar />;
  if (all.length === 0) return <Empty icon="users" title={t("channelSettings.noSubscribers")} />;
  const found = matching(all, query, people);
  return (
    <section id={elementId("list")} class={styles.subscribers} aria-label={t("channelSettings.subscribers")}>
      <h3 class={styles.heading}>{t("channelSettings.subscriberCount", { count: all.length })}</h3>
      <FilterField label={t("channelSettings.findSubscriber")} value={query} onChange={setQuery} />
      {found.length === 0 ? (
        <p class={styles.none} role="status">
          {t("channelSettings.noneFound", { query: query.trim() })}
        </p>
      ) : (
        <Rows
          class={styles.rows}
          label={t("channelSettings.subscribers")}
          items={found}
          height={rowHeight}
          keyOf={({ id }) => id}
          render={({ id }) => <SubscriberRow userId={id} channel={channel} />}
        />
      )}
    </section>
  );
}

const shownRoles: Readonly<Record<number, TextKey>> = {
  [roles.owner]: "role.one.100",
  [roles.administrator]: "role.one.200",
  [roles.moderator]: "role.one.300",
  [roles.guest]: "role.one.600",
};

const roleText = (person: Person | undefined): string => {
  if (person?.is_bot) return t("channelSettings.bot");
  const key = person && shownRoles[person.role];
  return key ? t(key) : "";
};

function SubscriberRow({ userId, channel }: { userId: number; channel: Channel }) {
  const person = findKnownPerson(userId);
  const name = person?.full_name ?? t("person.unknown");
  const isSelf = userId === ownId.value;
  return (
    <div class={styles.row}>
      <button type="button" class={styles.person} onClick={() => openPanel({ kind: "user", userId })}>
        <Avatar name={name} src={person?.avatar_url ?? `/avatar/${userId}`} size={28} />
        <span class={styles.names}>
          <span class={styles.name} dir="auto">
            {isSelf ? t("direct.self", { name }) : name}
          </span>
          {person?.delivery_email && <span class={styles.email}>{person.delivery_email}</span>}
        </span>
      </button>
      <span class={styles.role}>{roleText(person)}</span>
      {(isSelf || mayRemovePeople(channel)) && <RemoveButton userId={userId} name={name} channel={channel} />}
    </div>
  );
}

/** Removes at once, with an Undo; asks first where there can be none. */
function RemoveButton({ userId, name, channel }: { userId: number; name: string; channel: Channel }) {
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { stream_id, name: channelName } = channel;
  const canUndo = userId !== ownId.value && mayAddPeople(channel);
  const remove = async (): Promise<void> => {
    await removeSubscribers(stream_id, [userId]);
    toast(
      t("channelSettings.removed", { name, channel: channelName }),
      canUndo ? { undo: () => void addToChannel(stream_id, [userId]) } : {},
    );
  };
  const removeNow = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await remove().catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
    setBusy(false);
  };
  return (
    <>
      <IconButton
        icon="x"
        label={t("channelSettings.remove", { name })}
        busy={isBusy}
        onClick={() => (canUndo ? void removeNow() : setAsking(true))}
      />
      {isAsking && (
        <DangerDialog
          title={t("channelSettings.removeTitle", { name })}
          action={t("channelSettings.removeNow")}
          run={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {t(channel.invite_only ? "channelSettings.removePrivate" : "channelSettings.removeWhat", {
              name,
              channel: channelName,
            })}
          </p>
        </DangerDialog>
      )}
    </>
  );
}
