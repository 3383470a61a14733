/**
 * Deactivating and reactivating an account. It keeps its data. While deactivated it is listed in no group and no channel,
 * so guests who only shared a channel with it cannot see it. Bots are deactivated together with their owner.
 */
import { roles, type DeactivationActions } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import { toEveryone, toUsers, type Audience } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { revokeApiKeys } from "../../people/auth/api-keys.ts";
import { endBrowserSessions } from "../../people/auth/browser-sessions.ts";
import { renewKey, revokeKey } from "../bots/api-key.ts";
import { emitBotChange, emitChange, toBotAdministrators } from "../../people/bots/events.ts";
import { prepareBotReactivation } from "../bots/reactivation.ts";
import { forQueues } from "../../channels/event-shapes.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { emitConsent } from "../../people/settings/export-consent.ts";
import { revokeInvitationsBy } from "../invitations/revoke.ts";
import { sendMail } from "../../base/mail/send.ts";
import { directSystemGroups } from "../../organization/permissions/system-groups.ts";
import { profilesOf } from "../../people/profile-fields/queries.ts";
import { settingOf } from "../../people/settings/state.ts";
import { emitSettingsListingUser } from "../user-groups/settings-listing-user.ts";
import {
  accessOwnership,
  accessUserForUpdate,
  isOnlyOwner,
  lockAccount,
  noSuchUser,
  refuseStale,
  type LockedAccount,
} from "../../people/users/access.ts";
import { toMembersAnd } from "../../people/users/audience.ts";
import { emitUserAdded, emitUserRemoved } from "../../people/users/event-shapes.ts";
import { deleteData } from "./deleted-data.ts";
import { deactivationMail } from "./deactivation-mail.ts";
import { guestsSeeing } from "../../people/users/guest-view.ts";

const onlyOwner = "Cannot deactivate the only organization owner";

/** By an administrator. If there is a comment, even an empty one, the user is notified by mail. */
export async function deactivateUserAs(
  tx: Tx,
  actor: User,
  id: number,
  comment?: string,
  actions: DeactivationActions = {},
): Promise<void> {
  const account = await accessUserForUpdate(tx, actor, id);
  if (account.is_bot) throw noSuchUser();
  if (!account.is_active) throw new ApiError("User is deactivated");
  accessOwnership(actor, account.role);
  if (await isOnlyOwner(tx, account)) throw new ApiError(onlyOwner);
  // Events first: while the account is active, everyone who knows it is notified.
  await deleteData(tx, actor, account, actions);
  await deactivate(tx, account);
  if (comment !== undefined) await sendMail(tx, actor.realm, deactivationMail(actor, account.delivery_email, comment));
}

export async function deactivateOwnAccount(tx: Tx, user: User): Promise<void> {
  const account = await lockAccount(tx, user.realm, user.id);
  await refuseStale(tx, user);
  if (await isOnlyPerson(tx, account)) throw cannotDeactivateLast("user", false);
  if (await isOnlyOwner(tx, account)) throw cannotDeactivateLast("organization owner", true);
  await deactivate(tx, account);
}

const cannotDeactivateLast = (entity: string, is_last_owner: boolean) =>
  new ApiError(`Cannot deactivate the only ${entity}`, {
    code: "CANNOT_DEACTIVATE_LAST_USER",
    data: { entity, is_last_owner },
  });

async function isOnlyPerson(tx: Tx, { id, realm_id }: LockedAccount): Promise<boolean> {
  const other = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm_id)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .where("is_system_bot", "=", false)
    .where("id", "<>", id)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

/** By an administrator, or by a bot's owner. */
export async function reactivateUserAs(tx: Tx, box: SecretBox, actor: User, id: number): Promise<void> {
  const account = await accessForReactivation(tx, actor, id);
  if (account.is_active) return;
  accessOwnership(actor, account.role);
  if (!account.is_bot) return reactivate(tx, account);
  const bot = { ...account, bot_owner_id: await prepareBotReactivation(tx, box, actor, account) };
  await reactivate(tx, bot);
  await renewKey(tx, box, bot);
}

async function accessForReactivation(tx: Tx, actor: User, id: number): Promise<LockedAccount> {
  if (actor.role <= roles.administrator) return accessUserForUpdate(tx, actor, id);
  const ownBot = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", actor.realm_id)
    .where("id", "=", id)
    .where("bot_owner_id", "=", actor.id)
    .executeTakeFirst();
  if (!ownBot) throw insufficientPermission();
  const account = await lockAccount(tx, actor.realm, id);
  await refuseStale(tx, actor);
  return account;
}

/** By the operator. */
export async function deactivateUser(tx: Tx, realm: Realm, id: number): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (!account.is_active) return;
  if (await isOnlyOwner(tx, account)) throw new ApiError(onlyOwner);
  await deactivate(tx, account);
}

/** By the operator. A bot has no key until somebody generates one. */
export async function reactivateUser(tx: Tx, realm: Realm, id: number): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (account.is_active) return;
  if (account.is_bot) await revokeKey(tx, account);
  await reactivate(tx, account);
}

async function deactivate(tx: Tx, account: LockedAccount): Promise<void> {
  const { id, realm_id } = account;
  await deactivateBots(tx, account);
  await revokeInvitationsBy(tx, account);
  // Old sessions and keys must not work again if the account is reactivated.
  await endBrowserSessions(tx, account);
  if (account.is_bot) await revokeKey(tx, account);
  else await revokeApiKeys(tx, account);
  const before = await guestsSeeing(tx, realm_id, account);
  await tx.updateTable("users").set({ is_active: false }).where("id", "=", id).execute();
  await emitInChannels(tx, account, "peer_remove");
  emitActivity(tx, account, false, toMembersAnd(before));
  if (account.is_bot) emitBotChange(tx, account, { is_active: false });
  if (!before) return;
  // Clients remove a deactivated user from groups themselves; guests who cannot see the user need events.
  const unaware = { roles: [roles.guest], except: before };
  for (const group_id of await groupsShowing(tx, account))
    emit(tx, realm_id, unaware, { type: "user_group", op: "remove_members", group_id, user_ids: [id] });
  await emitSettingsListingUser(tx, account);
  const after = await guestsSeeing(tx, realm_id, account);
  const losing = before.filter((guest) => !after?.includes(guest));
  if (losing.length > 0) emitUserRemoved(tx, realm_id, id, toUsers(losing));
}

async function deactivateBots(tx: Tx, { id, realm_id }: LockedAccount): Promise<void> {
  const bots = await tx
    .updateTable("users")
    .set({ is_active: false })
    .where("realm_id", "=", realm_id)
    .where("bot_owner_id", "=", id)
    .where("is_active", "=", true)
    .returning(["id", "realm_id", "role"])
    .execute();
  const administrators = toBotAdministrators(null);
  for (const bot of bots) {
    await revokeKey(tx, { ...bot, bot_owner_id: null });
    await emitInChannels(tx, bot, "peer_remove");
    emitActivity(tx, bot, false, toEveryone);
    emitChange(tx, bot, administrators, { is_active: false });
  }
}

async function reactivate(tx: Tx, account: LockedAccount): Promise<void> {
  const { id, realm_id } = account;
  // An earlier release may have left keys from before the deactivation.
  await revokeApiKeys(tx, account);
  const before = await guestsSeeing(tx, realm_id, account);
  const person = await tx
    .updateTable("users")
    .set({ is_active: true })
    .where("id", "=", id)
    .returning("settings")
    .executeTakeFirstOrThrow();
  const after = before && (await guestsSeeing(tx, realm_id, account));
  const gaining = (after ?? []).filter((guest) => !before?.includes(guest));
  if (gaining.length > 0) {
    const profile_data = (await profilesOf(tx, realm_id, [id]))(id);
    const reactivated = { ...account, is_active: true };
    emitUserAdded(tx, realm_id, reactivated, { profile_data, audience: toUsers(gaining) });
  }
  emitActivity(tx, account, true, toMembersAnd(after));
  if (account.is_bot) emitBotChange(tx, account, { is_active: true });
  else emitConsent(tx, account, settingOf(person, "allow_private_data_export"));
  for (const group_id of await groupsShowing(tx, account))
    emit(tx, realm_id, toEveryone, { type: "user_group", op: "add_members", group_id, user_ids: [id] });
  await emitSettingsListingUser(tx, account);
  await emitInChannels(tx, account, "peer_add");
}

function emitActivity(
  tx: Tx,
  { id, realm_id }: { id: number; realm_id: number },
  is_active: boolean,
  audience: Audience,
): void {
  emit(tx, realm_id, audience, { type: "realm_user", op: "update", person: { user_id: id, is_active } });
}

/** The groups that list an active account as a direct member. */
async function groupsShowing(tx: Tx, account: LockedAccount): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select g.id from user_groups g
    where g.realm_id = ${account.realm_id} and g.name is not null and (g.max_rank = any(${directSystemGroups(account)}::integer[])
      or exists (select from user_group_members m where m.group_id = g.id and m.user_id = ${account.id}))
    order by g.id`.execute(tx);
  return rows.map((group) => group.id);
}

/** A deactivated account keeps its subscriptions, but does not count as a subscriber. */
async function emitInChannels(
  tx: Tx,
  { id, realm_id }: Pick<LockedAccount, "id" | "realm_id">,
  op: "peer_add" | "peer_remove",
): Promise<void> {
  const channels = await tx
    .selectFrom("channels")
    .innerJoin("subscriptions", "subscriptions.channel_id", "channels.id")
    .selectAll("channels")
    .where("channels.realm_id", "=", realm_id)
    .where("subscriptions.user_id", "=", id)
    .where("subscriptions.active", "=", true)
    .orderBy("channels.id")
    .execute();
  if (channels.length === 0) return;
  const boundary = await lockChannelsForSubscriptionChange(
    tx,
    channels.map((channel) => channel.id),
  );
  const audiencesOf = await metadataAudiences(tx, channels, boundary);
  for (const channel of channels) {
    const event = { type: "subscription", op, stream_ids: [channel.id], user_ids: [id] };
    const shown = channel.is_archived ? forQueues("shown archived channels", event) : event;
    for (const audience of audiencesOf(channel)) emit(tx, realm_id, audience, shown);
  }
}
