/** Which messages a move takes along. */
import { sql } from "kysely";
import type { History } from "../../events/audience.ts";
import type { MessageBatch } from "../../events/live-users.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import type { MessageRow } from "../messages/in-hand.ts";
import { moveLimit, movesTooMuch } from "./access.ts";
import type { Wish } from "./wish.ts";

export interface Taken {
  messages: MessageBatch;
  /** Whether nothing is left in the topic. */
  isWholeTopic: boolean;
}

interface Found {
  ids: number[] | null;
  moved: [number, number, number][] | null;
  in_topic: number;
  in_time: number;
  first_in_time: number | null;
}

export const historyOf = (channel: Pick<Channel, "invite_only" | "history_public_to_subscribers">): History => {
  if (!channel.history_public_to_subscribers) return "protected";
  return channel.invite_only ? "shared" : "public";
};

/** Of a topic in a channel with protected history, only what the user can read. */
export async function takeMessages(
  tx: Tx,
  user: User,
  message: MessageRow,
  channel: Channel,
  wish: Wish,
  at: number,
): Promise<Taken> {
  const history = historyOf(channel);
  const isMeant = {
    change_one: sql`m.id = ${message.id}`,
    change_later: sql`m.id >= ${message.id}`,
    change_all: sql`true`,
  }[wish.propagateMode];
  const isRead =
    history === "protected"
      ? sql`coalesce(m.entered_at, m.id) <@ (
          select received from subscriptions where user_id = ${user.id} and channel_id = ${channel.id})`
      : sql`true`;
  const limit = moveLimit(user, message, wish);
  const isInTime = limit === null ? sql`true` : sql`m.date_sent >= now() - make_interval(secs => ${limit})`;
  const { rows } = await sql<Found>`
    select array_agg(m.id order by m.id) as ids,
      json_agg(json_build_array(m.id, coalesce(m.origin_id, m.conversation_id), m.entered_at) order by m.id)
        filter (where m.entered_at is not null) as moved,
      count(*) filter (where ${isInTime}) as in_time, min(m.id) filter (where ${isInTime}) as first_in_time,
      (select count(*) from messages where topic_id = ${message.topic_id}) as in_topic
    from messages m where m.topic_id = ${message.topic_id} and ${isMeant} and ${isRead}`.execute(tx);
  const [found] = rows;
  const ids = found?.ids ?? [];
  if (!found || ids.length === 0) throw new Error("a message that is moved is among those moved with it");
  if (wish.propagateMode === "change_all" && found.in_time < ids.length)
    throw movesTooMuch({ first: found.first_in_time, total: ids.length, allowed: found.in_time });
  return {
    messages: { channel: channel.id, at, history, ids, ...(found.moved ? { moved: found.moved } : {}) },
    isWholeTopic: ids.length === found.in_topic,
  };
}
