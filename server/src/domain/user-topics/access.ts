import { visibilityPolicies, type VisibilityPolicy } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { accessReadableChannel, invalidChannelId, type Channel } from "../channels/access.ts";
import { sharedChannelLock } from "../channels/lock.ts";

export interface PlacedTopic {
  id: number;
  name: string;
  channel: Pick<Channel, "id" | "realm_id">;
}

/**
 * The topic, for a user who may read its channel; one nobody has written to yet is made. What was chosen once can be
 * undone in a channel the user has lost, and needs no topic that is not there: then undefined.
 */
export async function accessTopicForVisibility(
  tx: Tx,
  user: User,
  target: { id: number } | { name: string },
  topic: string,
  policy: VisibilityPolicy,
): Promise<PlacedTopic | undefined> {
  await lockTopics(tx, user, target);
  if (policy === visibilityPolicies.none) {
    const chosen = await findChosenTopic(tx, user, target, topic);
    if (chosen) return chosen;
  }
  const channel = await accessReadableChannel(tx, user, target);
  if (policy === visibilityPolicies.none) return undefined;
  // Nothing of an archived channel is shown, so there is nothing to choose.
  if (channel.is_archived) throw invalidChannelId();
  return { ...(await findOrMakeTopic(tx, channel, topic)), channel };
}

/** Until the transaction ends no topic of the channel gets another name, so that what is told is what is stored. */
async function lockTopics(tx: Tx, user: User, target: { id: number } | { name: string }): Promise<void> {
  await sql`
    select ${sql.raw(sharedChannelLock("c.id"))} from channels c
    where c.realm_id = ${user.realm_id} and ${isTarget(target)}`.execute(tx);
}

const isTarget = (target: { id: number } | { name: string }) =>
  "id" in target ? sql`c.id = ${target.id}` : sql`lower(c.name) = lower(${target.name})`;

async function findOrMakeTopic(tx: Tx, channel: Channel, name: string): Promise<{ id: number; name: string }> {
  await sql`
    insert into topics (realm_id, channel_id, name) values (${channel.realm_id}, ${channel.id}, ${name})
    on conflict do nothing`.execute(tx);
  return tx
    .selectFrom("topics")
    .select(["id", "name"])
    .where("realm_id", "=", channel.realm_id)
    .where("channel_id", "=", channel.id)
    .where(sql`lower(name)`, "=", sql`lower(${name})`)
    .executeTakeFirstOrThrow();
}

async function findChosenTopic(
  db: Db,
  user: User,
  target: { id: number } | { name: string },
  topic: string,
): Promise<PlacedTopic | undefined> {
  const { rows } = await sql<{ id: number; name: string; channel_id: number }>`
    select t.id, t.name, t.channel_id from channels c
      join topics t on t.channel_id = c.id and lower(t.name) = lower(${topic})
      join user_topics u on u.topic_id = t.id and u.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and ${isTarget(target)}`.execute(db);
  const [row] = rows;
  return row && { id: row.id, name: row.name, channel: { id: row.channel_id, realm_id: user.realm_id } };
}
