import { visibilityPolicies, type UserTopic, type VisibilityPolicy } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import { toUser, toUsers } from "../../events/audience.ts";
import { emit, tellSoFar } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import { beforeCommit, type Tx } from "../../platform/db/transaction.ts";
import { toTimestamp } from "../messages/object.ts";
import { readTopic } from "../topics/name.ts";
import { lockLists } from "../users/list-lock.ts";
import { accessTopicForVisibility, type PlacedTopic } from "./access.ts";
import { listMutedTopics } from "./queries.ts";

/** As the user wishes. Nothing is told when it was like that already. */
export async function chooseVisibility(
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
 * Gives the topic this policy for several people; the ids of those it was another for. What happens by itself only ever
 * makes a topic more visible: a followed one stays followed.
 */
export async function setPolicy(
  tx: Tx,
  topic: PlacedTopic,
  userIds: readonly number[],
  policy: UserTopic["visibility_policy"],
  manner: "chosen" | "automatic",
): Promise<number[]> {
  const kept = manner === "automatic" ? visibilityPolicies.followed : policy;
  const { rows } = await sql<{ user_id: number; last_updated: Date; was_muted: boolean }>`
    with before as (
      select user_id, visibility_policy from user_topics
      where topic_id = ${topic.id} and user_id = any(${userIds}::bigint[])
    ),
    after as (
      insert into user_topics (user_id, topic_id, realm_id, visibility_policy)
      select id, ${topic.id}, ${topic.channel.realm_id}, ${policy} from unnest(${userIds}::bigint[]) as id order by id
      on conflict (user_id, topic_id) do update set visibility_policy = ${policy}, last_updated = now()
      where user_topics.visibility_policy not in (${policy}, ${kept})
      returning user_id, last_updated, xmax <> 0 as was_there
    )
    -- A row that was there but could not be seen is somebody else's of this very moment: it may have been muted.
    select a.user_id, a.last_updated,
      case when b.user_id is null then a.was_there else b.visibility_policy = ${visibilityPolicies.muted} end as was_muted
    from after a left join before b on b.user_id = a.user_id order by a.user_id`.execute(tx);
  const [first] = rows;
  if (!first) return [];
  const changed = rows.map((row) => row.user_id);
  const concerned = policy === visibilityPolicies.muted ? rows : rows.filter((row) => row.was_muted);
  tellMuted(
    tx,
    topic.channel.realm_id,
    concerned.map((row) => row.user_id),
  );
  tellPolicy(tx, topic, changed, policy, first.last_updated);
  return changed;
}

async function removePolicy(tx: Tx, user: User, topic: PlacedTopic): Promise<void> {
  const { rows } = await sql<{ visibility_policy: number; now: Date }>`
    delete from user_topics where user_id = ${user.id} and topic_id = ${topic.id}
    returning visibility_policy, now()`.execute(tx);
  const [removed] = rows;
  if (!removed) return;
  if (removed.visibility_policy === visibilityPolicies.muted) tellMuted(tx, user.realm_id, [user.id]);
  tellPolicy(tx, topic, [user.id], visibilityPolicies.none, removed.now);
}

export function tellPolicy(
  tx: Tx,
  topic: PlacedTopic,
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
 * What clients knew before there was more than muting: all muted topics. They are read when nothing else is left to do,
 * see lockLists(); said before other news, it goes into the log with them.
 */
export function tellMuted(tx: Tx, realmId: number, userIds: readonly number[]): void {
  if (userIds.length === 0) return;
  const all = new Set([...(withNewMutes.get(tx) ?? []), ...userIds]);
  withNewMutes.set(tx, all);
  beforeCommit(tx, withNewMutes, () => emitMuted(tx, realmId, [...all]));
}

async function emitMuted(tx: Tx, realmId: number, userIds: number[]): Promise<void> {
  await lockLists(tx, userIds);
  for (const [id, muted_topics] of await listMutedTopics(tx, realmId, userIds))
    emit(tx, realmId, toUser(id), { type: "muted_topics", muted_topics });
  // The news so far may have been written before.
  await tellSoFar(tx);
}
