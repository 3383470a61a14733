/**
 * A waiting period ends without any request, so a job emits the events, at the moment the next member becomes a full
 * member. It also makes nodes reload the account, whose rank they cache. In the database a member is a full member from
 * that moment on, events or not; so emitting an event twice does no harm.
 */
import { sql } from "kysely";
import { z } from "zod";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm } from "../../../identity/account.ts";
import { enqueue, job, isStored } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { inChunks } from "../../base/chunks.ts";
import { fullMemberRank, systemGroups } from "../../organization/permissions/system-groups.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";
import { isShownTo } from "../../channels/user-topics/queries.ts";
import { emitChannelVisibility } from "../users/channel-visibility.ts";

export const promoteFullMembers = job({
  name: "promote full members",
  /** Promotes the members whose waiting period ended after `since`. */
  payload: z.strictObject({ realmId: z.int(), since: z.iso.datetime() }),
  run: (ctx, { realmId, since }) =>
    transaction(ctx.db, "promote full members", async (tx) => {
      const realm = await tx
        .selectFrom("realms")
        .selectAll()
        .where("id", "=", realmId)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow();
      await promote(tx, realm, new Date(since));
      await schedulePromotion(tx, realm);
    }),
});

/** SQL: when a member of the organization becomes a full member. */
const endOfWaiting = (realm: Realm) =>
  sql<Date>`(date_joined + make_interval(days => ${realm.waiting_period_threshold}))`;

const waitingMembers = (realm: Realm) => sql<boolean>`
  realm_id = ${realm.id} and role = ${systemGroups["role:members"].max_rank} and is_active and not is_system_bot`;

async function promote(tx: Tx, realm: Realm, since: Date): Promise<void> {
  // Writing the row invalidates the account in every node's cache.
  const { rows } = await sql<{ id: number; realm_id: number; role: number }>`
    update users set version = version
    where ${waitingMembers(realm)} and ${endOfWaiting(realm)} > ${since} and ${endOfWaiting(realm)} <= now()
    returning id, realm_id, role`.execute(tx);
  if (rows.length === 0) return;
  const { id: group_id } = await tx
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("max_rank", "=", fullMemberRank)
    .executeTakeFirstOrThrow();
  const ids = rows.map((row) => row.id).toSorted((a, b) => a - b);
  for (const user_ids of inChunks(ids))
    emit(tx, realm.id, toEveryone, { type: "user_group", op: "add_members", group_id, user_ids });
  const waitingRank = String(systemGroups["role:members"].max_rank);
  const emitTopicChanges = await noteShownTopics(tx, realm.id, { userIds: ids }, isShownTo(waitingRank));
  for (const member of rows)
    await emitChannelVisibility(tx, { ...member, rank: member.role }, { ...member, rank: fullMemberRank });
  await emitTopicChanges();
}

const keyOf = (realm: Realm): string => `${promoteFullMembers.name} ${realm.id}`;

/** Schedules the job for when the next waiting period ends, replacing the previous time. `realm` must be up to date. */
export async function schedulePromotion(tx: Tx, realm: Realm): Promise<void> {
  const { rows } = await sql<{ next: Date | null; now: Date }>`
    select min(${endOfWaiting(realm)}) as next, now() as now from users
    where ${waitingMembers(realm)} and ${endOfWaiting(realm)} > now()`.execute(tx);
  const [row] = rows;
  if (!row?.next) return;
  const payload = { realmId: realm.id, since: row.now.toISOString() };
  await enqueue(tx, promoteFullMembers, payload, { runAt: row.next, key: keyOf(realm) });
}

/** For a newcomer, whose waiting period ends after all others: only the first waiting member needs a job. */
export async function ensurePromotionIsScheduled(tx: Tx, realm: Realm): Promise<void> {
  if (realm.waiting_period_threshold === 0) return;
  if (!(await isStored(tx, keyOf(realm)))) await schedulePromotion(tx, realm);
}
