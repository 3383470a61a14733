/** Selects the messages a move applies to. */
import { sql } from "kysely";
import type { History } from "../../../events/audience.ts";
import type { MessageBatch } from "../live-access.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import type { MessageRow } from "../send/locked-message.ts";
import { isInHistoryOf } from "../access.ts";
import { moveLimit, moveLimitExceeded } from "./access.ts";
import type { EditRequest } from "./edit-request.ts";

export interface SelectedMessages {
  messages: MessageBatch;
  /** The name of their topic. */
  topic: string;
  /** The messages that spell it differently. */
  spelled: [id: number, topic: string][];
  /** Whether these are all messages of the topic. */
  isWholeTopic: boolean;
  /** Whether these are all that the user can read. */
  isAllTheySee: boolean;
}

interface SelectionRow {
  ids: number[] | null;
  moved: [number, number, number][] | null;
  spelled: [number, string][] | null;
  topic: string;
  in_topic: number;
  /** Null where everybody can read all of them. */
  readable_in_topic: number | null;
  in_time: number;
  first_in_time: number | null;
}

export const historyOf = (channel: Pick<Channel, "invite_only" | "history_public_to_subscribers">): History => {
  if (!channel.history_public_to_subscribers) return "protected";
  return channel.invite_only ? "shared" : "public";
};

/** In a channel with protected history, only messages the user can read are selected. */
export async function selectMessages(
  tx: Tx,
  user: User,
  message: MessageRow,
  channel: Channel,
  request: EditRequest,
  at: number,
): Promise<SelectedMessages> {
  const history = historyOf(channel);
  const isRequested = {
    change_one: sql`m.id = ${message.id}`,
    change_later: sql`m.id >= ${message.id}`,
    change_all: sql`true`,
  }[request.propagateMode];
  const readableInTopic = channel.history_public_to_subscribers
    ? sql`null`
    : sql`(select count(*) from messages m where m.topic_id = ${message.topic_id} and ${isInHistoryOf(channel, user)})`;
  const limit = moveLimit(user, message, request);
  const isInTime = limit === null ? sql`true` : sql`m.date_sent >= now() - make_interval(secs => ${limit})`;
  const { rows } = await sql<SelectionRow>`
    select array_agg(m.id order by m.id) as ids,
      json_agg(json_build_array(m.id, coalesce(m.origin_id, m.conversation_id), m.entered_at) order by m.id)
        filter (where m.entered_at is not null) as moved,
      json_agg(json_build_array(m.id, ${sql.raw(spelledTopic)})) filter (where ${sql.raw(spelledTopic)} <> t.name) as spelled,
      max(t.name) as topic, count(*) filter (where ${isInTime}) as in_time, min(m.id) filter (where ${isInTime}) as first_in_time,
      (select count(*) from messages where topic_id = ${message.topic_id}) as in_topic,
      ${readableInTopic} as readable_in_topic
    from messages m join topics t on t.id = m.topic_id where m.topic_id = ${message.topic_id} and ${isRequested} and ${isInHistoryOf(channel, user)}`.execute(
    tx,
  );
  const [found] = rows;
  const ids = found?.ids ?? [];
  if (!found || ids.length === 0) throw new Error("unreachable: the selection contains the requested message");
  if (request.propagateMode === "change_all" && found.in_time < ids.length)
    throw moveLimitExceeded({ first: found.first_in_time, total: ids.length, allowed: found.in_time });
  return {
    messages: { channel: channel.id, at, history, ids, ...(found.moved ? { moved: found.moved } : {}) },
    topic: found.topic,
    spelled: found.spelled ?? [],
    isWholeTopic: ids.length === found.in_topic,
    isAllTheySee: ids.length === (found.readable_in_topic ?? found.in_topic),
  };
}

/** The selected messages by the spelling of their topic; nearly always there is only one. */
export function bySpelling({ messages, topic, spelled }: SelectedMessages): Map<string, MessageBatch> {
  if (spelled.length === 0) return new Map([[topic, messages]]);
  const own = new Map(spelled);
  const groups = Map.groupBy(messages.ids, (id) => own.get(id) ?? topic);
  return new Map([...groups].map(([name, ids]) => [name, onlyThese(messages, ids)]));
}

/** The selected messages that do not spell their topic like this. */
export function spelledOtherwise(selected: SelectedMessages, topic: string): SelectedMessages {
  const ids = [...bySpelling(selected)].flatMap(([name, batch]) => (name === topic ? [] : batch.ids));
  if (ids.length === selected.messages.ids.length) return selected;
  const messages = onlyThese(
    selected.messages,
    ids.toSorted((a, b) => a - b),
  );
  return { ...selected, messages, isWholeTopic: false, isAllTheySee: false };
}

function onlyThese({ moved = [], ...batch }: MessageBatch, ids: number[]): MessageBatch {
  const kept = new Set(ids);
  const own = moved.filter(([id]) => kept.has(id));
  return { ...batch, ids, ...(own.length > 0 ? { moved: own } : {}) };
}
