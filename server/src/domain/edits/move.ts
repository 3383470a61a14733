/**
 * Moving messages. A whole topic that gets a name nothing else has is renamed: one row, however many messages it has.
 * Everything else changes the messages themselves. Who received a message, and who has read it, stays a matter of the
 * channel it was sent to.
 */
import { sql } from "kysely";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { isResolution } from "../topics/resolved.ts";
import type { Taken } from "./moved-messages.ts";

/** A topic at some time. */
export interface Place {
  channel: Channel;
  topicId: number;
  topic: string;
}

export interface Move {
  taken: Taken;
  from: Place;
  to: Place;
  /** Whether there were messages already where they went. */
  isMerge: boolean;
}

/** Who moves, and when: what the history tells. */
export interface Occasion {
  editor: User;
  editedAt: Date;
}

interface Target {
  id: number;
  name: string;
  has_messages: boolean;
}

/** Undefined when it would change nothing: a topic has one spelling for all of its messages. */
export async function moveMessages(
  tx: Tx,
  taken: Taken,
  from: Place,
  to: { channel: Channel; topic: string },
  occasion: Occasion,
): Promise<Move | undefined> {
  const target = await findTarget(tx, to);
  const isSameTopic = target?.id === from.topicId;
  if (isSameTopic && !taken.isWholeTopic) return undefined;
  const isHere = to.channel.id === from.channel.id;
  if (isHere && taken.isWholeTopic && (isSameTopic || !target?.has_messages)) {
    if (target && !isSameTopic) await absorbEmpty(tx, from.topicId, target.id);
    await rename(tx, from, to.topic, taken.messages.at, occasion);
    return { taken, from, to: { ...from, topic: to.topic }, isMerge: false };
  }
  const topic = target ?? (await makeTopic(tx, to));
  const place = { channel: to.channel, topicId: topic.id, topic: topic.name };
  await changeMessages(tx, taken, from, place, occasion);
  return { taken, from, to: place, isMerge: target?.has_messages ?? false };
}

async function findTarget(
  tx: Tx,
  { channel, topic }: { channel: Channel; topic: string },
): Promise<Target | undefined> {
  const { rows } = await sql<Target>`
    select t.id, t.name, exists (select from messages m where m.topic_id = t.id) as has_messages
    from topics t where t.channel_id = ${channel.id} and lower(t.name) = lower(${topic})`.execute(tx);
  return rows[0];
}

/** The channel is locked, but somebody may make a topic to follow it at this very moment. */
async function makeTopic(tx: Tx, { channel, topic }: { channel: Channel; topic: string }) {
  const { rows } = await sql<{ id: number; name: string }>`
    insert into topics (realm_id, channel_id, name) values (${channel.realm_id}, ${channel.id}, ${topic})
    on conflict (channel_id, lower(name)) do update set name = topics.name returning id, name`.execute(tx);
  const [made] = rows;
  if (!made) throw new Error("unreachable: the statement gives back what it made or found");
  return made;
}

/** A topic without messages gives way to one that takes its name. Who had chosen how to see the name keeps that. */
async function absorbEmpty(tx: Tx, topicId: number, emptyId: number): Promise<void> {
  await sql`
    update user_topics own set topic_id = ${topicId} where topic_id = ${emptyId}
      and not exists (select from user_topics u where u.user_id = own.user_id and u.topic_id = ${topicId})`.execute(tx);
  await tx.deleteFrom("topics").where("id", "=", emptyId).execute();
}

async function rename(
  tx: Tx,
  { channel, topicId, topic: prev_topic }: Place,
  topic: string,
  at: number,
  { editor, editedAt }: Occasion,
): Promise<void> {
  await tx.updateTable("topics").set({ name: topic }).where("id", "=", topicId).execute();
  await tx
    .insertInto("topic_edits")
    .values({
      realm_id: channel.realm_id,
      topic_id: topicId,
      user_id: editor.id,
      edited_at: editedAt,
      prev_topic,
      topic,
      up_to_id: at,
      is_resolution: isResolution(prev_topic, topic),
    })
    .execute();
}

/**
 * What was moved before is read by those who were not there when it came, and stays so: where it goes now they may be.
 * Nothing is to be settled when messages are moved for the first time.
 */
async function settleRead(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`
    update subscriptions origin set read = origin.read + missed.ids
    from (
      select o.user_id, o.channel_id, range_agg(int8range(m.id, m.id + 1)) as ids
      from messages m
        join subscriptions o on o.channel_id = coalesce(m.origin_id, m.conversation_id) and m.id <@ (o.received - o.read)
        left join subscriptions here on here.user_id = o.user_id and here.channel_id = m.conversation_id
      where m.id = any(${ids}::bigint[]) and m.entered_at is not null
        and not coalesce(here.active and m.entered_at <@ here.received, false)
      group by o.user_id, o.channel_id
    ) as missed
    where origin.user_id = missed.user_id and origin.channel_id = missed.channel_id`.execute(tx);
}

async function changeMessages(
  tx: Tx,
  { messages: { ids, at } }: Taken,
  from: Place,
  to: Place,
  { editor, editedAt }: Occasion,
): Promise<void> {
  const { realm_id } = from.channel;
  const topics = from.topic === to.topic ? [null, null] : [from.topic, to.topic];
  const isElsewhere = from.channel.id !== to.channel.id;
  const channels = isElsewhere ? [from.channel.id, to.channel.id] : [null, null];
  // New names their topic had are theirs to keep.
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_topic, topic)
    select ${realm_id}, m.id, e.user_id, e.edited_at, e.prev_topic, e.topic
    from messages m join topic_edits e on e.topic_id = m.topic_id and e.id > coalesce(m.topic_since, 0) and e.up_to_id >= m.id
    where m.id = any(${ids}::bigint[]) order by e.id, m.id`.execute(tx);
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_topic, topic, prev_channel_id, channel_id)
    select ${realm_id}, id, ${editor.id}, ${editedAt}, ${topics[0]}, ${topics[1]}, ${channels[0]}::bigint, ${channels[1]}::bigint
    from unnest(${ids}::bigint[]) as id`.execute(tx);
  if (isElsewhere) await settleRead(tx, ids);
  const elsewhere = isElsewhere
    ? sql`, conversation_id = ${to.channel.id}, entered_at = ${at},
        origin_id = nullif(coalesce(m.origin_id, m.conversation_id), ${to.channel.id})`
    : sql``;
  await sql`
    with edit as (select nextval('edit_ids') as id)
    update messages m set topic_id = ${to.topicId}, topic_since = edit.id ${elsewhere}
    from edit where m.id = any(${ids}::bigint[])`.execute(tx);
}
