import { visibilityPolicies, type VisibilityPolicy } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessReadableChannel, invalidChannelId, type Channel } from "../access.ts";
import { sharedChannelLock } from "../lock.ts";
import { findOrCreateTopic } from "../topics/find-or-create.ts";
import { chosenSpelling, spellingIn } from "../topics/spelling.ts";

export interface TopicInChannel {
  id: number;
  /** As the user or a message spells it. */
  name: string;
  channel: Pick<Channel, "id" | "realm_id">;
}

/**
 * The topic, for a user who may read its channel; created if it has no messages yet. A choice can be undone even in a
 * channel the user can no longer read. Undefined when there is nothing to undo.
 */
export async function accessTopicForVisibility(
  tx: Tx,
  user: User,
  target: { id: number } | { name: string },
  topic: string,
  policy: VisibilityPolicy,
): Promise<TopicInChannel | undefined> {
  await lockTopics(tx, user, target);
  if (policy === visibilityPolicies.none) {
    const chosen = await findChosenTopic(tx, user, target, topic);
    if (chosen) return chosen;
  }
  const channel = await accessReadableChannel(tx, user, target);
  if (policy === visibilityPolicies.none) return undefined;
  // Topics of an archived channel are not shown, so their visibility cannot be set.
  if (channel.is_archived) throw invalidChannelId();
  const found = await findOrCreateTopic(tx, channel, topic);
  return { id: found.id, name: spellingIn(channel, found, topic), channel };
}

/** Prevents renames in the channel until the transaction ends, so that the event has the stored name. */
async function lockTopics(tx: Tx, user: User, target: { id: number } | { name: string }): Promise<void> {
  await sql`
    select ${sql.raw(sharedChannelLock("c.id"))} from channels c
    where c.realm_id = ${user.realm_id} and ${isTarget(target)}`.execute(tx);
}

const isTarget = (target: { id: number } | { name: string }) =>
  "id" in target ? sql`c.id = ${target.id}` : sql`lower(c.name) = lower(${target.name})`;

async function findChosenTopic(
  db: Db,
  user: User,
  target: { id: number } | { name: string },
  topic: string,
): Promise<TopicInChannel | undefined> {
  const { rows } = await sql<{ id: number; name: string; channel_id: number }>`
    select t.id, ${sql.raw(chosenSpelling)} as name, t.channel_id from channels c
      join topics t on t.channel_id = c.id and lower(t.name) = lower(${topic})
      join user_topics ut on ut.topic_id = t.id and ut.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and ${isTarget(target)}`.execute(db);
  const [row] = rows;
  return row && { id: row.id, name: row.name, channel: { id: row.channel_id, realm_id: user.realm_id } };
}
