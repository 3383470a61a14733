/**
 * Nobody is stored as a member of a system group, but clients are told of each group's members: whoever changes an
 * account's standing tells of the groups it thereby is shown in, or no longer.
 */
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { groupsShownIn } from "../permissions/system-groups.ts";

export interface Standing {
  role: number;
  rank: number;
}

/** `before` and `after` are undefined for somebody who is in no group: not there yet, or deactivated. */
export async function emitStandingChange(
  tx: Tx,
  user: { id: number; realm_id: number },
  before: Standing | undefined,
  after: Standing | undefined,
): Promise<void> {
  const left = before ? groupsShownIn(before) : [];
  const joined = after ? groupsShownIn(after) : [];
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
