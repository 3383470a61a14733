/** Members become full members after the organization's waiting period. */
import { sql } from "kysely";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { inChunks } from "../../base/chunks.ts";
import { fullMemberRank } from "../../organization/permissions/system-groups.ts";
import { noteChannelsOpenedBy } from "./channel-visibility.ts";
import { schedulePromotion } from "./promotion.ts";

/** Changes the waiting period and emits who becomes, or no longer is, a full member. The organization must be locked. */
export async function updateWaitingPeriod(tx: Tx, realm: Realm, days: number): Promise<void> {
  const group = await getFullMembers(tx, realm.id);
  const emitChannelChanges = await noteChannelsOpenedBy(tx, group);
  await tx.updateTable("realms").set({ waiting_period_threshold: days }).where("id", "=", realm.id).execute();
  const { rows } = await sql<{ id: number }>`
    select id from users
    where realm_id = ${realm.id} and is_active and not is_system_bot
      and rank_of(role, date_joined, ${days}) <> rank_of(role, date_joined, ${realm.waiting_period_threshold})
    order by id`.execute(tx);
  const op = days < realm.waiting_period_threshold ? "add_members" : "remove_members";
  for (const user_ids of inChunks(rows.map((row) => row.id)))
    emit(tx, realm.id, toEveryone, { type: "user_group", op, group_id: group, user_ids });
  await emitChannelChanges();
  await schedulePromotion(tx, { ...realm, waiting_period_threshold: days });
}

async function getFullMembers(tx: Tx, realmId: number): Promise<number> {
  const { id } = await tx
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("max_rank", "=", fullMemberRank)
    .executeTakeFirstOrThrow();
  return id;
}
