/**
 * Waiting ends by itself, so nobody's request tells of it: a job does, at the moment the next member has waited long
 * enough. It also makes nodes look anew at the account, whose rank they remember. Judged by the database somebody is a
 * full member from that moment on, whether told or not; so to tell twice, or of somebody already known, does no harm.
 */
import { sql } from "kysely";
import { z } from "zod";
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Realm } from "../../http/sessions.ts";
import { enqueue, job } from "../../jobs/job.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { inChunks } from "../channels/chunks.ts";
import { fullMemberRank, systemGroups } from "../permissions/system-groups.ts";
import { noteShownTopics } from "../user-topics/in-sight.ts";
import { isShownTo } from "../user-topics/queries.ts";
import { emitChannelsInSight } from "../users/channels-in-sight.ts";

export const promoteFullMembers = job({
  name: "promote full members",
  /** Those are told of whose waiting ended after `since`. */
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
      await planPromotion(tx, realm);
    }),
});

/** SQL: when a member of the organization becomes a full one. */
const endOfWaiting = (realm: Realm) =>
  sql<Date>`(date_joined + make_interval(days => ${realm.waiting_period_threshold}))`;

const waitingMembers = (realm: Realm) => sql<boolean>`
  realm_id = ${realm.id} and role = ${systemGroups["role:members"].max_rank} and is_active and not is_system_bot`;

async function promote(tx: Tx, realm: Realm, since: Date): Promise<void> {
  // To write the row is to announce it: whoever remembers the account reads it again.
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
  const tellOfTopics = await noteShownTopics(tx, realm.id, { userIds: ids }, isShownTo(waitingRank));
  for (const member of rows)
    await emitChannelsInSight(tx, { ...member, rank: member.role }, { ...member, rank: fullMemberRank });
  await tellOfTopics();
}

const keyOf = (realm: Realm): string => `${promoteFullMembers.name} ${realm.id}`;

/** Puts the job where the next waiting ends, instead of where it was; `realm` is as it is now. */
export async function planPromotion(tx: Tx, realm: Realm): Promise<void> {
  const { rows } = await sql<{ next: Date | null; now: Date }>`
    select min(${endOfWaiting(realm)}) as next, now() as now from users
    where ${waitingMembers(realm)} and ${endOfWaiting(realm)} > now()`.execute(tx);
  const [row] = rows;
  if (!row?.next) return;
  const payload = { realmId: realm.id, since: row.now.toISOString() };
  await enqueue(tx, promoteFullMembers, payload, { runAt: row.next, key: keyOf(realm) });
}

/** For somebody new, who waits longer than all the others: only where nobody waited yet there is something to plan. */
export async function ensurePromotionIsPlanned(tx: Tx, realm: Realm): Promise<void> {
  if (realm.waiting_period_threshold === 0) return;
  const { rows } = await sql`select from graphile_worker.jobs where key = ${keyOf(realm)}`.execute(tx);
  if (rows.length === 0) await planPromotion(tx, realm);
}
