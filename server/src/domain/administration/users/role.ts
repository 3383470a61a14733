/**
 * Changing a user's role. A role determines system groups and what the user can see: channels, e-mail addresses, bots and,
 * for guests, other users. The user receives events for everything that appears or disappears.
 */
import { roles, type Role } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { emit, emitRoleChange } from "../../../events/emit.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { adaptKeyToRole, revokeKey } from "../bots/api-key.ts";
import { emitBotVisibility } from "../bots/bot-visibility.ts";
import { emitSystemMembership } from "../../people/user-groups/system-membership.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";
import { accessOwnership, isOnlyOwner, lockAccount, rankIn, type LockedAccount } from "../../people/users/access.ts";
import { toUsersSeeing } from "../../people/users/audience.ts";
import { endUnprotectedSessions } from "../../people/second-factors/requirement.ts";
import { emitAddressVisibility } from "../../people/users/address-visibility.ts";
import { emitChannelVisibility } from "./channel-visibility.ts";
import { usersVisibleTo } from "../../people/users/guest-view.ts";
import { emitVisibilityChanges } from "../../people/users/visibility-changes.ts";

/** By an administrator; the account must be locked. */
export async function changeRole(tx: Tx, actor: User, account: LockedAccount, role: Role): Promise<void> {
  if (role === account.role) return;
  accessOwnership(actor, role, account.role);
  if (account.role === roles.guest && role <= roles.administrator)
    throw new ApiError("Guests cannot be organization administrators");
  await setRole(tx, actor.realm, account, role);
}

/** By the operator. */
export async function updateRole(tx: Tx, realm: Realm, id: number, role: Role): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (account.role !== role) await setRole(tx, realm, account, role);
}

async function setRole(tx: Tx, realm: Realm, before: LockedAccount, role: Role): Promise<void> {
  if (await isOnlyOwner(tx, before))
    throw new ApiError("The owner permission cannot be removed from the only organization owner.");
  const { id } = before;
  const peopleBefore = await usersVisibleTo(tx, realm.id, [id]);
  const emitTopicChanges = await noteShownTopics(tx, realm.id, { userIds: [id] });
  const { rank } = await tx
    .updateTable("users")
    .set({ role })
    .where("id", "=", id)
    .returning(rankIn(realm).as("rank"))
    .executeTakeFirstOrThrow();
  emitRoleChange(tx, realm.id, { user: id, was: before.role });
  const after = { ...before, role, rank };
  const person = { user_id: id, role };
  emit(tx, realm.id, await toUsersSeeing(tx, realm, after), { type: "realm_user", op: "update", person });
  await adaptKeyToRole(tx, before, role);
  await demoteBots(tx, realm, before, role);
  if (role < before.role) await endUnprotectedSessions(tx, realm.id, id);
  if (!before.is_active) return;
  await emitSystemMembership(tx, before, before, after);
  await emitChannelVisibility(tx, before, after);
  await emitTopicChanges();
  await emitVisibilityChanges(tx, realm.id, peopleBefore);
  await emitAddressVisibility(tx, before, after);
  await emitBotVisibility(tx, before, after);
}

/**
 * Anyone who knows a bot's key can act with its role, so bots are demoted together with their owner. Their keys are
 * revoked, too.
 */
async function demoteBots(tx: Tx, realm: Realm, owner: LockedAccount, role: Role): Promise<void> {
  if (owner.is_bot || role < owner.role) return;
  const bots = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("bot_owner_id", "=", owner.id)
    .where("role", "<", role)
    .orderBy("id")
    .execute();
  for (const { id } of bots) {
    const bot = await lockAccount(tx, realm, id);
    await revokeKey(tx, bot);
    await setRole(tx, realm, bot, role);
  }
}
