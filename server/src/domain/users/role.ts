/**
 * Another role for somebody. Beside the role itself and the system groups that follow from it, a role decides what one
 * sees: channels, addresses, and for guests people. Whoever gets another role hears of all that appears and vanishes.
 */
import { roles, type Role } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";
import { emit, emitRoleChange } from "../../events/emit.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { followOwnerRole } from "../bots/api-key.ts";
import { emitBotsInSight } from "../bots/bots-in-sight.ts";
import { emitStandingChange } from "../user-groups/system-membership.ts";
import { noteShownTopics } from "../user-topics/in-sight.ts";
import { accessOwnership, isOnlyOwner, lockAccount, rankIn, type LockedAccount } from "./access.ts";
import { toThoseSeeing } from "./audience.ts";
import { emitAddressesInSight } from "./addresses-in-sight.ts";
import { emitChannelsInSight } from "./channels-in-sight.ts";
import { peopleSeenBy } from "./guest-view.ts";
import { emitPeopleInSight } from "./people-in-sight.ts";

/** For an administrator; the account is locked for it. */
export async function changeRole(tx: Tx, actor: User, account: LockedAccount, role: Role): Promise<void> {
  if (role === account.role) return;
  accessOwnership(actor, role, account.role);
  if (account.role === roles.guest && role <= roles.administrator)
    throw new ApiError("Guests cannot be organization administrators");
  await setRole(tx, actor.realm, account, role);
}

/** For whoever runs the server. */
export async function updateRole(tx: Tx, realm: Realm, id: number, role: Role): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (account.role !== role) await setRole(tx, realm, account, role);
}

async function setRole(tx: Tx, realm: Realm, before: LockedAccount, role: Role): Promise<void> {
  if (await isOnlyOwner(tx, before))
    throw new ApiError("The owner permission cannot be removed from the only organization owner.");
  const { id } = before;
  const peopleBefore = await peopleSeenBy(tx, realm.id, [id]);
  const tellOfTopics = await noteShownTopics(tx, realm.id, { userIds: [id] });
  const { rank } = await tx
    .updateTable("users")
    .set({ role })
    .where("id", "=", id)
    .returning(rankIn(realm).as("rank"))
    .executeTakeFirstOrThrow();
  emitRoleChange(tx, realm.id, { user: id, was: before.role });
  const after = { ...before, role, rank };
  const person = { user_id: id, role };
  emit(tx, realm.id, await toThoseSeeing(tx, realm, after), { type: "realm_user", op: "update", person });
  await followOwnerRole(tx, before, role);
  if (!before.is_active) return;
  await emitStandingChange(tx, before, before, after);
  await emitChannelsInSight(tx, before, after);
  await tellOfTopics();
  await emitPeopleInSight(tx, realm.id, peopleBefore);
  await emitAddressesInSight(tx, before, after);
  await emitBotsInSight(tx, before, after);
}
