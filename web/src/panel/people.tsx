/** Participants: those who wrote in a topic first, then everyone in the channel. */
import "../text/chunks/panel.ts";
import { useState } from "preact/hooks";
import { Failure } from "../ui/failure.tsx";
import { narrowOf } from "../store/conversations.ts";
import { openList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { peopleById } from "../store/people.ts";
import { presenceOf } from "../store/presence.ts";
import { ownId } from "../store/state.ts";
import { loadSubscribers, subscribersOf } from "../store/subscribers.ts";
import { language, t } from "../text/t.ts";
import { Rows } from "../ui/rows.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import type { Subject } from "./details.tsx";
import lists from "./lists.module.css";
import { PersonRow, personRowHeight } from "./person-row.tsx";

export function People({ subject }: { subject: Subject }) {
  if (subject.kind === "direct")
    return (
      <ul class={lists.list}>
        {[ownId.value, ...subject.userIds].map((id) => (
          <li key={id}>
            <PersonRow userId={id} />
          </li>
        ))}
      </ul>
    );
  return <ChannelPeople subject={subject} />;
}

type Item = { heading: string } | { userId: number };
const many = 12;

function ChannelPeople({ subject }: { subject: Exclude<Subject, { kind: "direct" }> }) {
  const { ids, failure } = subscribersOf(subject.channelId);
  const [query, setQuery] = useState("");
  if (failure.value !== undefined)
    return <Failure error={failure.value} onRetry={() => loadSubscribers(subject.channelId)} />;
  if (!ids.value) return <Skeleton rows={6} height={personRowHeight} hasAvatar />;
  const wanted = query.trim().toLowerCase();
  const matching = (userIds: Iterable<number>): number[] =>
    [...userIds].filter((id) => nameOf(id).toLowerCase().includes(wanted)).toSorted(byPresenceAndName);
  const writers = subject.kind === "topic" ? writersIn(subject) : new Set<number>();
  const section = (heading: string, userIds: number[]): Item[] =>
    userIds.length === 0 ? [] : [{ heading }, ...userIds.map((userId) => ({ userId }))];
  const items = [
    ...section(t("details.writers"), matching(writers)),
    ...section(t("details.subscribers", { count: ids.value.size }), matching(ids.value.difference(writers))),
  ];
  return (
    <>
      {ids.value.size > many && (
        <input
          class={lists.filter}
          type="search"
          placeholder={t("details.filter")}
          aria-label={t("details.filter")}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      )}
      <Rows
        class={lists.rows}
        label={t("details.people")}
        items={items}
        height={personRowHeight}
        keyOf={(item) => ("heading" in item ? item.heading : item.userId)}
        render={(item) =>
          "heading" in item ? <h3 class={lists.heading}>{item.heading}</h3> : <PersonRow userId={item.userId} />
        }
      />
    </>
  );
}

/** As far back as the topic has been loaded. */
function writersIn(topic: Extract<Subject, { kind: "topic" }>): ReadonlySet<number> {
  const { runs } = openList(narrowOf(topic, ownId.value));
  const ids = runs.value.flatMap((run) => run.ids);
  return new Set(ids.flatMap((id) => findMessage(id)?.value.sender_id ?? []));
}

const byPresenceAndName = (a: number, b: number): number =>
  Number(presenceOf(b) === "active") - Number(presenceOf(a) === "active") || collator.compare(nameOf(a), nameOf(b));

/** All at once: a channel may have a hundred thousand subscribers. */
const nameOf = (id: number): string => peopleById.value.get(id)?.full_name ?? "";

const collator = new Intl.Collator(language());
