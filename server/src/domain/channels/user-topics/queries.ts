import { byPlace } from "@skein/api/state/order.ts";
import { visibilityPolicies, type MutedTopics, type UserTopic } from "@skein/api/user-topics.ts";
import { sql, type RawBuilder } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { contentAccessSql } from "../access.ts";
import { chosenSpelling } from "../topics/spelling.ts";
import { toTimestamp } from "../../base/timestamp.ts";

interface ChosenTopic {
  user_id: number;
  stream_id: number;
  channel_name: string;
  topic_name: string;
  last_updated: Date;
  visibility_policy: UserTopic["visibility_policy"];
}

const isReadable = (rank: string) =>
  sql.raw(contentAccessSql({ channel: "c", subscription: "s", reader: { id: "u.id", rank } }));

/** SQL: whether a choice is shown to its user, given the user's rank. */
export const isShownTo = (rank: string): RawBuilder<boolean> =>
  sql<boolean>`(not c.is_archived and ${isReadable(rank)})`;

/** SQL: whether a choice is shown to its user. */
export const isShown = isShownTo("rank_of(u.role, u.date_joined, r.waiting_period_threshold)");

/** The users' choices, only in channels they can read: they must not learn of changes to topics elsewhere. */
async function listChosen(
  db: Db,
  realmId: number,
  userIds: number[],
  policies: UserTopic["visibility_policy"][],
): Promise<ChosenTopic[]> {
  const { rows } = await sql<ChosenTopic>`
    select u.id as user_id, c.id as stream_id, c.name as channel_name, ${sql.raw(chosenSpelling)} as topic_name, ut.last_updated,
      ut.visibility_policy
    from user_topics ut join topics t on t.id = ut.topic_id join channels c on c.id = t.channel_id
      join users u on u.id = ut.user_id join realms r on r.id = u.realm_id
      left join subscriptions s on s.channel_id = c.id and s.user_id = u.id
    where ut.user_id = any(${userIds}::bigint[]) and ut.realm_id = ${realmId}
      and ut.visibility_policy = any(${policies}::integer[]) and ${isShown}`.execute(db);
  return rows.toSorted(byPlace);
}

export async function listUserTopics(db: Db, user: User): Promise<UserTopic[]> {
  const chosen = await listChosen(db, user.realm_id, [user.id], [1, 2, 3]);
  return chosen.map(({ stream_id, topic_name, last_updated, visibility_policy }) => ({
    stream_id,
    topic_name,
    last_updated: toTimestamp(last_updated),
    visibility_policy,
  }));
}

/** By user id, with an entry for every requested user. */
export async function listMutedTopics(db: Db, realmId: number, userIds: number[]): Promise<Map<number, MutedTopics>> {
  const muted = new Map<number, MutedTopics>(userIds.map((id) => [id, []]));
  for (const topic of await listChosen(db, realmId, userIds, [visibilityPolicies.muted]))
    muted.get(topic.user_id)?.push([topic.channel_name, topic.topic_name, toTimestamp(topic.last_updated)]);
  return muted;
}
