/**
 * The members of system groups are not stored, but clients know them. So code that changes an account's role or rank also
 * emits the resulting changes of membership.
 */
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { directSystemGroups } from "../../organization/permissions/system-groups.ts";

export interface RoleAndRank {
  role: number;
  rank: number;
}

/** `before` and `after` are undefined for a user in no group: not yet created, or deactivated. */
export async function emitSystemMembership(
  tx: Tx,
  user: { id: number; realm_id: number },
  before: RoleAndRank | undefined,
  after: RoleAndRank | undefined,
): Promise<void> {
  const left = before ? directSystemGroups(before) : [];
  const joined = after ? directSystemGroups(after) : [];
  const changes = [
    ...left.filter((group) => !joined.includes(group)).map((group) => ["remove_members", group] as const),
    ...joined.filter((group) => !left.includes(group)).map((group) => ["add_members", group] as const),
  ];
  if (changes.length === 0) return;
  const groups = await tx
    .selectFrom("user_groups")
    .select(["id", "max_rank"])
    .where("realm_id", "=", user.realm_id)
    .where("is_system", "=", true)
    .execute();
  for (const [op, rank] of changes) {
    const group = groups.find((candidate) => candidate.max_rank === rank);
    if (!group) throw new Error(`organization ${user.realm_id} has no system group of rank ${rank}`);
    emit(tx, user.realm_id, toEveryone, { type: "user_group", op, group_id: group.id, user_ids: [user.id] });
  }
}
