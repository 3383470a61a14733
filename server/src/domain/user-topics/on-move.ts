/**
 * How people see a topic goes along when all of it is moved. Where it comes to stand with messages that were there
 * before, what both sides have in common is kept, and unmuting wins.
 */
import { visibilityPolicies, type VisibilityPolicy } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";
import { contentAccessSql } from "../channels/access.ts";
import type { PlacedTopic } from "./access.ts";
import { tellMuted, tellPolicy } from "./actions.ts";

const { none, muted, unmuted } = visibilityPolicies;

interface Chooser {
  user_id: number;
  before: VisibilityPolicy;
  there: VisibilityPolicy;
  /** Whether they may read the channels. */
  reads_before: boolean;
  reads_there: boolean;
}

/** After a new name: who chose how to see the topic still has that. */
export async function tellRenamed(tx: Tx, before: PlacedTopic, after: PlacedTopic): Promise<void> {
  const choosers = (await listChoosers(tx, before, after)).filter((chooser) => chooser.reads_there);
  if (choosers.length === 0) return;
  const { rows } = await sql<{ now: Date }>`
    update user_topics set last_updated = now() where topic_id = ${after.id} returning now()`.execute(tx);
  const now = rows[0]?.now ?? new Date();
  tellPolicy(tx, before, idsOf(choosers), none, now);
  for (const [policy, some] of Map.groupBy(choosers, (chooser) => chooser.before))
    tellPolicy(tx, after, idsOf(some), policy, now);
  tellMuted(tx, after.channel.realm_id, idsOf(choosers.filter((chooser) => chooser.before === muted)));
}

/** After all messages of one topic went to another. */
export async function mergePolicies(tx: Tx, from: PlacedTopic, to: PlacedTopic, isMerge: boolean): Promise<void> {
  const choosers = await listChoosers(tx, from, to);
  if (choosers.length === 0) return;
  const { realm_id } = to.channel;
  await tx.deleteFrom("user_topics").where("topic_id", "=", from.id).execute();
  const leaving = choosers.filter((chooser) => chooser.before !== none && chooser.reads_before);
  const now = await clock(tx);
  if (leaving.length > 0) tellPolicy(tx, from, idsOf(leaving), none, now);
  const changed = choosers.filter((chooser) => chooser.reads_there && chooser.there !== policyOf(chooser, isMerge));
  for (const [policy, some] of Map.groupBy(changed, (chooser) => policyOf(chooser, isMerge))) {
    await write(tx, to, idsOf(some), policy);
    tellPolicy(tx, to, idsOf(some), policy, now);
  }
  const isMutedNow = (chooser: Chooser) => [chooser.before, chooser.there, policyOf(chooser, isMerge)].includes(muted);
  tellMuted(tx, realm_id, idsOf(choosers.filter(isMutedNow)));
}

function policyOf({ before, there }: Chooser, isMerge: boolean): VisibilityPolicy {
  if (!isMerge) return before === none ? there : before;
  if (before === there) return before;
  return before === unmuted || there === unmuted ? unmuted : none;
}

const idsOf = (choosers: Chooser[]): number[] => choosers.map((chooser) => chooser.user_id);

async function clock(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("unreachable: now() is always some time");
  return row.now;
}

async function write(tx: Tx, topic: PlacedTopic, userIds: number[], policy: VisibilityPolicy): Promise<void> {
  if (policy === none) {
    await tx.deleteFrom("user_topics").where("topic_id", "=", topic.id).where("user_id", "in", userIds).execute();
    return;
  }
  await sql`
    insert into user_topics (user_id, topic_id, realm_id, visibility_policy)
    select id, ${topic.id}, ${topic.channel.realm_id}, ${policy} from unnest(${userIds}::bigint[]) as id order by id
    on conflict (user_id, topic_id) do update set visibility_policy = ${policy}, last_updated = now()`.execute(tx);
}

/** Everybody who chose something for one of them. */
async function listChoosers(tx: Tx, before: PlacedTopic, after: PlacedTopic): Promise<Chooser[]> {
  const reader = { id: "u.id", rank: "rank_of(u.role, u.date_joined, r.waiting_period_threshold)" };
  const reads = (channel: string, subscription: string) =>
    sql.raw<boolean>(contentAccessSql({ channel, subscription, reader }));
  const { rows } = await sql<Chooser>`
    select chosen.*, ${reads("c1", "s1")} as reads_before, ${reads("c2", "s2")} as reads_there
    from (
      select user_id, coalesce(max(visibility_policy) filter (where topic_id = ${before.id}), 0) as before,
        coalesce(max(visibility_policy) filter (where topic_id = ${after.id}), 0) as there
      from user_topics where topic_id in (${before.id}, ${after.id}) group by user_id
    ) as chosen
      join users u on u.id = chosen.user_id join realms r on r.id = u.realm_id
      join channels c1 on c1.id = ${before.channel.id} join channels c2 on c2.id = ${after.channel.id}
      left join subscriptions s1 on s1.user_id = u.id and s1.channel_id = c1.id
      left join subscriptions s2 on s2.user_id = u.id and s2.channel_id = c2.id
    order by chosen.user_id`.execute(tx);
  return rows;
}
