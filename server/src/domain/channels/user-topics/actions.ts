import { visibilityPolicies, type UserTopic, type VisibilityPolicy } from "@skein/api/user-topics.ts";
import { sql, type RawBuilder } from "kysely";
import { toUser, toUsers } from "../../../events/audience.ts";
import { emit, flushEvents } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import { beforeCommit, type Tx } from "../../../platform/db/transaction.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { readTopic } from "../topics/name.ts";
import { lockLists } from "../../people/users/list-lock.ts";
import { accessTopicForVisibility, type TopicInChannel } from "./access.ts";
import { listMutedTopics } from "./queries.ts";

/** Emits nothing when the topic already has this policy. */
export async function updateVisibility(
  tx: Tx,
  user: User,
  channel: { id: number } | { name: string },
  topicText: string,
  policy: VisibilityPolicy,
): Promise<void> {
  const topic = await accessTopicForVisibility(tx, user, channel, readTopic(topicText), policy);
  if (!topic) return;
  if (policy === visibilityPolicies.none) await removePolicy(tx, user, topic);
  else await setPolicy(tx, topic, [user.id], policy, "chosen");
}

/**
 * Sets the topic's policy for several users and returns the ids of those for whom it changed. An automatic change only
 * ever makes a topic more visible: a followed topic stays followed.
 */
export async function setPolicy(
  tx: Tx,
  topic: TopicInChannel,
  userIds: readonly number[],
  policy: UserTopic["visibility_policy"],
  trigger: "chosen" | "automatic",
): Promise<number[]> {
  const kept = trigger === "automatic" ? visibilityPolicies.followed : policy;
  const { rows } = await sql<{ user_id: number; last_updated: Date; was_muted: boolean }>`
    with before as (
      select user_id, visibility_policy from user_topics
      where topic_id = ${topic.id} and user_id = any(${userIds}::bigint[])
    ),
    after as (
      insert into user_topics (user_id, topic_id, topic_spelling, realm_id, visibility_policy)
      select id, ${topic.id}, ${ownSpelling(topic)}, ${topic.channel.realm_id}, ${policy}
      from unnest(${userIds}::bigint[]) as id order by id
      on conflict (user_id, topic_id) do update
      set visibility_policy = ${policy}, topic_spelling = excluded.topic_spelling, last_updated = now()
      where user_topics.visibility_policy not in (${policy}, ${kept})
      returning user_id, last_updated, xmax <> 0 as was_there
    )
    -- A row that existed but was not visible was inserted concurrently: it may have been muted.
    select a.user_id, a.last_updated,
      case when b.user_id is null then a.was_there else b.visibility_policy = ${visibilityPolicies.muted} end as was_muted
    from after a left join before b on b.user_id = a.user_id order by a.user_id`.execute(tx);
  const [first] = rows;
  if (!first) return [];
  const changed = rows.map((row) => row.user_id);
  const affected = policy === visibilityPolicies.muted ? rows : rows.filter((row) => row.was_muted);
  emitMutedTopics(
    tx,
    topic.channel.realm_id,
    affected.map((row) => row.user_id),
  );
  emitPolicy(tx, topic, changed, policy, first.last_updated);
  return changed;
}

/** SQL: the topic's name for `user_topics.topic_spelling`. */
export const ownSpelling = ({ id, name }: TopicInChannel): RawBuilder<string | null> =>
  sql`nullif(${name}, (select name from topics where id = ${id}))`;

async function removePolicy(tx: Tx, user: User, topic: TopicInChannel): Promise<void> {
  const { rows } = await sql<{ visibility_policy: number; now: Date }>`
    delete from user_topics where user_id = ${user.id} and topic_id = ${topic.id}
    returning visibility_policy, now()`.execute(tx);
  const [removed] = rows;
  if (!removed) return;
  if (removed.visibility_policy === visibilityPolicies.muted) emitMutedTopics(tx, user.realm_id, [user.id]);
  emitPolicy(tx, topic, [user.id], visibilityPolicies.none, removed.now);
}

export function emitPolicy(
  tx: Tx,
  topic: TopicInChannel,
  userIds: number[],
  visibility_policy: VisibilityPolicy,
  time: Date,
): void {
  emit(tx, topic.channel.realm_id, toUsers(userIds), {
    type: "user_topic",
    stream_id: topic.channel.id,
    topic_name: topic.name,
    last_updated: toTimestamp(time),
    visibility_policy,
  });
}

const withNewMutes = new WeakMap<Tx, Set<number>>();

/**
 * Emits the list of all muted topics, for clients from before the other policies existed. It is read just before the
 * commit (see lockLists()), so that it enters the log with the transaction's other events.
 */
export function emitMutedTopics(tx: Tx, realmId: number, userIds: readonly number[]): void {
  if (userIds.length === 0) return;
  const all = new Set([...(withNewMutes.get(tx) ?? []), ...userIds]);
  withNewMutes.set(tx, all);
  beforeCommit(tx, withNewMutes, () => emitMuted(tx, realmId, [...all]));
}

async function emitMuted(tx: Tx, realmId: number, userIds: number[]): Promise<void> {
  await lockLists(tx, userIds);
  for (const [id, muted_topics] of await listMutedTopics(tx, realmId, userIds))
    emit(tx, realmId, toUser(id), { type: "muted_topics", muted_topics });
  // Events emitted earlier may already be in the log; this writes the ones just added.
  await flushEvents(tx);
}
