/**
 * A topic's visibility policies move with it when the whole topic is moved. When it is merged into an existing topic, a
 * policy that both have is kept, and unmuted wins. Where history is protected, the whole topic is what the user can read
 * of it: whoever can read nothing keeps what they chose for a mere name, and does not learn where its messages went.
 */
import { visibilityPolicies, type VisibilityPolicy } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { contentAccessSql, type Channel } from "../access.ts";
import { findOrCreateTopic } from "../topics/find-or-create.ts";
import { newestReadable } from "../topics/queries.ts";
import type { TopicInChannel } from "./access.ts";
import { emitMutedTopics, emitPolicy, ownSpelling } from "./actions.ts";

const { none, muted, unmuted } = visibilityPolicies;

interface Chooser {
  user_id: number;
  before: VisibilityPolicy;
  there: VisibilityPolicy;
  /** The old topic as the user spells it. */
  name_before: string;
  /** Whether the user may read the old and the new channel. */
  reads_before: boolean;
  reads_there: boolean;
  /** Whether the user can still read messages of the old topic, and some of the new one. */
  sees_before: boolean;
  sees_there: boolean;
}

/** A topic in a channel whose history may be protected. */
type MovedTopic = TopicInChannel & { channel: Channel };

/** After a rename: users keep the policy they chose. */
export async function emitRenamedTopic(tx: Tx, before: MovedTopic, after: MovedTopic): Promise<void> {
  const all = await listChoosers(tx, before, after);
  // Only where history is shared does a new spelling apply to everybody: see topics/spelling.ts.
  const isRespelled =
    !before.channel.history_public_to_subscribers && before.name.toLowerCase() === after.name.toLowerCase();
  const [sighted = [], blind = []] = [true, false].map((sees) =>
    all.filter((chooser) => (chooser.sees_there && !isRespelled) === sees),
  );
  await keepName(tx, before, blind);
  const choosers = sighted.filter((chooser) => chooser.reads_there);
  if (choosers.length === 0) return;
  const { rows } = await sql<{ now: Date }>`
    update user_topics set last_updated = now(), topic_spelling = null
    where topic_id = ${after.id} and user_id = any(${idsOf(sighted)}::bigint[])
    returning now()`.execute(tx);
  const now = rows[0]?.now ?? new Date();
  emitLeaving(tx, before, choosers, now);
  for (const [policy, some] of Map.groupBy(choosers, (chooser) => chooser.before))
    emitPolicy(tx, after, idsOf(some), policy, now);
  emitMutedTopics(tx, after.channel.realm_id, idsOf(choosers.filter((chooser) => chooser.before === muted)));
}

/** Users who cannot read the renamed topic keep their policy for its old name, unless they chose it for the new name. */
async function keepName(tx: Tx, before: MovedTopic, choosers: Chooser[]): Promise<void> {
  const ids = idsOf(choosers.filter((chooser) => chooser.name_before.toLowerCase() === before.name.toLowerCase()));
  if (ids.length === 0) return;
  const topic = await findOrCreateTopic(tx, before.channel, before.name);
  await sql`
    update user_topics set topic_id = ${topic.id}, topic_spelling = coalesce(topic_spelling, ${before.name})
    where topic_id = ${before.id} and user_id = any(${ids}::bigint[])`.execute(tx);
}

/** After all messages of one topic, as far as the mover can read them, were moved to another. */
export async function mergePolicies(tx: Tx, from: MovedTopic, to: MovedTopic, merge: Merge): Promise<void> {
  const choosers = (await listChoosers(tx, from, to)).filter((chooser) => chooser.sees_there && !chooser.sees_before);
  if (choosers.length === 0) return;
  const { realm_id } = to.channel;
  await tx.deleteFrom("user_topics").where("topic_id", "=", from.id).where("user_id", "in", idsOf(choosers)).execute();
  const leaving = choosers.filter((chooser) => chooser.before !== none && chooser.reads_before);
  const now = await clock(tx);
  emitLeaving(tx, from, leaving, now);
  const changed = choosers.filter((chooser) => chooser.reads_there && chooser.there !== policyOf(chooser, merge));
  for (const [policy, some] of Map.groupBy(changed, (chooser) => policyOf(chooser, merge))) {
    await write(tx, to, idsOf(some), policy);
    emitPolicy(tx, to, idsOf(some), policy, now);
  }
  const isMutedNow = (chooser: Chooser) => [chooser.before, chooser.there, policyOf(chooser, merge)].includes(muted);
  emitMutedTopics(tx, realm_id, idsOf(choosers.filter(isMutedNow)));
}

function emitLeaving(tx: Tx, topic: TopicInChannel, choosers: Chooser[], now: Date): void {
  for (const [name, some] of Map.groupBy(choosers, (chooser) => chooser.name_before))
    emitPolicy(tx, { ...topic, name }, idsOf(some), none, now);
}

/** To a mover who could read none of its messages, an existing topic is new. */
interface Merge {
  isMerge: boolean;
  isMergeToMover: boolean;
}

function policyOf({ before, there }: Chooser, { isMerge, isMergeToMover }: Merge): VisibilityPolicy {
  if (!(there === none ? isMergeToMover : isMerge)) return before === none ? there : before;
  if (before === there) return before;
  return before === unmuted || there === unmuted ? unmuted : none;
}

const idsOf = (choosers: Chooser[]): number[] => choosers.map((chooser) => chooser.user_id);

async function clock(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("unreachable: now() always returns a row");
  return row.now;
}

async function write(tx: Tx, topic: TopicInChannel, userIds: number[], policy: VisibilityPolicy): Promise<void> {
  if (policy === none) {
    await tx.deleteFrom("user_topics").where("topic_id", "=", topic.id).where("user_id", "in", userIds).execute();
    return;
  }
  await sql`
    insert into user_topics (user_id, topic_id, topic_spelling, realm_id, visibility_policy)
    select id, ${topic.id}, ${ownSpelling(topic)}, ${topic.channel.realm_id}, ${policy}
    from unnest(${userIds}::bigint[]) as id order by id
    on conflict (user_id, topic_id) do update
    set visibility_policy = ${policy}, topic_spelling = excluded.topic_spelling, last_updated = now()`.execute(tx);
}

/** SQL: whether user `u` can read a message of the topic. */
const sees = ({ id, channel }: MovedTopic) => sql<boolean>`exists (
        select from topics t cross join lateral (${newestReadable({ id: sql`u.id` }, channel)}) newest where t.id = ${id})`;

/** The users who chose a policy for either topic. */
async function listChoosers(tx: Tx, before: MovedTopic, after: MovedTopic): Promise<Chooser[]> {
  const reader = { id: "u.id", rank: "rank_of(u.role, u.date_joined, r.waiting_period_threshold)" };
  const reads = (channel: string, subscription: string) =>
    sql.raw<boolean>(contentAccessSql({ channel, subscription, reader }));
  const { rows } = await sql<Chooser>`
    select chosen.*, ${reads("c1", "s1")} as reads_before, ${reads("c2", "s2")} as reads_there,
      ${sees(before)} as sees_before, ${sees(after)} as sees_there
    from (
      select user_id, coalesce(max(visibility_policy) filter (where topic_id = ${before.id}), 0) as before,
        coalesce(max(visibility_policy) filter (where topic_id = ${after.id}), 0) as there,
        coalesce(max(topic_spelling) filter (where topic_id = ${before.id}), ${before.name}) as name_before
      from user_topics where topic_id in (${before.id}, ${after.id}) group by user_id
    ) as chosen
      join users u on u.id = chosen.user_id join realms r on r.id = u.realm_id
      join channels c1 on c1.id = ${before.channel.id} join channels c2 on c2.id = ${after.channel.id}
      left join subscriptions s1 on s1.user_id = u.id and s1.channel_id = c1.id
      left join subscriptions s2 on s2.user_id = u.id and s2.channel_id = c2.id
    order by chosen.user_id`.execute(tx);
  return rows;
}
