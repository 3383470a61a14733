/**
 * Moving messages. A whole topic that gets an unused name is renamed, which changes one row however many messages it
 * has. Every other move changes the messages themselves. Who received a message, and who has read it, still depends on
 * the channel it was sent to. A move writes a topic's name as a message does: see channels/topics/spelling.ts.
 */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { MessageBatch } from "../live-access.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { isResolution } from "../../channels/topics/resolved.ts";
import { newestReadable } from "../../channels/topics/queries.ts";
import { spelledTopicBefore, spellingIn } from "../../channels/topics/spelling.ts";
import { bySpelling, spelledOtherwise, type SelectedMessages } from "./moved-messages.ts";
import { findOrCreateTopic } from "../../channels/topics/find-or-create.ts";

/** A topic at a point in time. */
export interface Place {
  channel: Channel;
  topicId: number;
  /** As the message shows it that the request names. */
  topic: string;
}

export interface Move {
  selected: SelectedMessages;
  from: Place;
  to: Place;
  /** The topic's name in a message after the move, given the name before. */
  nameAfter: (before: string) => string;
  /** Whether the topic itself was renamed. */
  isRename: boolean;
  /** Whether the target topic already had messages, and whether the mover could read any. */
  isMerge: boolean;
  isMergeToMover: boolean;
}

/** Who edited and when, as stored in the history. */
export interface EditStamp {
  editor: User;
  editedAt: Date;
}

interface Target {
  id: number;
  name: string;
  has_messages: boolean;
  has_readable: boolean;
}

/**
 * `to.topic` is undefined if the request names none. Returns undefined when nothing would change for the message that the
 * request names: where history is shared, all messages of a topic have one spelling of its name.
 */
export async function moveMessages(
  tx: Tx,
  named: { id: number },
  selected: SelectedMessages,
  from: Place,
  to: { channel: Channel; topic: string | undefined },
  stamp: EditStamp,
  limit: number,
): Promise<Move | undefined> {
  const name = to.topic ?? from.topic;
  const target = await findTarget(tx, stamp.editor, to.channel, name);
  const isSameTopic = target?.id === from.topicId;
  const isHere = to.channel.id === from.channel.id;
  if (isHere && selected.isWholeTopic && (isSameTopic ? target.name !== name : !target?.has_messages)) {
    if (target && !isSameTopic) await replaceEmptyTopic(tx, from.topicId, target);
    await rename(tx, from, selected.topic, name, selected.messages.at, stamp);
    const renamed = { ...from, topic: name };
    return {
      selected,
      from,
      to: renamed,
      nameAfter: () => name,
      isRename: true,
      isMerge: false,
      isMergeToMover: false,
    };
  }
  const topic = target ?? (await findOrCreateTopic(tx, to.channel, name));
  const nameAfter = (before: string) => spellingIn(to.channel, topic, to.topic ?? before);
  const place = { channel: to.channel, topicId: topic.id, topic: nameAfter(from.topic) };
  const changed = isSameTopic ? spelledOtherwise(selected, place.topic) : selected;
  if (!changed.messages.ids.includes(named.id)) return undefined;
  // Each message is rewritten while both channels are locked against new messages.
  if (changed.messages.ids.length > limit) throw tooManyMoved(limit, changed.messages.ids.length);
  for (const [before, batch] of bySpelling(changed))
    await changeMessages(tx, batch, { ...from, topic: before }, { ...place, topic: nameAfter(before) }, stamp);
  const { has_messages: isMerge = false, has_readable: isMergeToMover = false } = isSameTopic ? {} : (target ?? {});
  return { selected: changed, from, to: place, nameAfter, isRename: false, isMerge, isMergeToMover };
}

const tooManyMoved = (limit: number, total: number): ApiError =>
  new ApiError(
    `At most ${limit} messages can be moved at once, and this would move ${total}. Move the most recent messages first, ` +
      "then the rest.",
  );

async function findTarget(tx: Tx, user: User, channel: Channel, topic: string): Promise<Target | undefined> {
  const { rows } = await sql<Target>`
    select t.id, t.name, exists (select from messages m where m.topic_id = t.id) as has_messages,
      exists (${newestReadable(user, channel)}) as has_readable
    from topics t where t.channel_id = ${channel.id} and lower(t.name) = lower(${topic})`.execute(tx);
  return rows[0];
}

/**
 * Removes an empty topic so that another can take its name. Users keep the visibility policy they had chosen for that
 * name, and their spelling of it.
 */
async function replaceEmptyTopic(tx: Tx, topicId: number, { id: emptyId, name }: Target): Promise<void> {
  await sql`
    update user_topics own set topic_id = ${topicId}, topic_spelling = coalesce(own.topic_spelling, ${name})
    where topic_id = ${emptyId}
      and not exists (select from user_topics u where u.user_id = own.user_id and u.topic_id = ${topicId})`.execute(tx);
  await tx.deleteFrom("topics").where("id", "=", emptyId).execute();
}

async function rename(
  tx: Tx,
  { channel, topicId }: Place,
  prev_topic: string,
  topic: string,
  at: number,
  { editor, editedAt }: EditStamp,
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
 * A message that was moved before counts as read for users who were not subscribed where it arrived. Another move must
 * not change that, even if they are subscribed where it goes now, so this stores it as read. A message's first move
 * needs nothing.
 */
async function storeAsRead(tx: Tx, ids: readonly number[]): Promise<void> {
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

/** The messages have the same spelling of their topic. */
async function changeMessages(
  tx: Tx,
  { ids, at }: MessageBatch,
  from: Place,
  to: Place,
  { editor, editedAt }: EditStamp,
): Promise<void> {
  const { realm_id } = from.channel;
  const topics = from.topic === to.topic ? [null, null] : [from.topic, to.topic];
  const isElsewhere = from.channel.id !== to.channel.id;
  const channels = isElsewhere ? [from.channel.id, to.channel.id] : [null, null];
  // The messages keep the renames their topic had as edits of their own.
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_topic, topic)
    select ${realm_id}, m.id, e.user_id, e.edited_at, ${sql.raw(spelledTopicBefore)}, e.topic
    from messages m join topic_edits e on e.topic_id = m.topic_id and e.id > coalesce(m.topic_since, 0) and e.up_to_id >= m.id
    where m.id = any(${ids}::bigint[]) order by e.id, m.id`.execute(tx);
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_topic, topic, prev_channel_id, channel_id)
    select ${realm_id}, id, ${editor.id}, ${editedAt}, ${topics[0]}, ${topics[1]}, ${channels[0]}::bigint, ${channels[1]}::bigint
    from unnest(${ids}::bigint[]) as id`.execute(tx);
  if (isElsewhere) await storeAsRead(tx, ids);
  const elsewhere = isElsewhere
    ? sql`, conversation_id = ${to.channel.id}, entered_at = ${at},
        origin_id = nullif(coalesce(m.origin_id, m.conversation_id), ${to.channel.id})`
    : sql``;
  await sql`
    with edit as (select nextval('edit_ids') as id)
    update messages m set topic_id = t.id, topic_spelling = nullif(${to.topic}, t.name), topic_since = edit.id ${elsewhere}
    from edit, topics t where t.id = ${to.topicId} and m.id = any(${ids}::bigint[])`.execute(tx);
}
