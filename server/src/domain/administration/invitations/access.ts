/**
 * Who may invite people to what. An offer is checked when the invitation is created, and again by the same rules when
 * somebody joins: nobody gets what the inviter may not grant at that time.
 */
import { roles } from "@skein/api/users.ts";
import { sql, type Selectable } from "kysely";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { InvitationLinksTable, InvitationsTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAdministrator, type Channel } from "../../channels/access.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";
import { loadChannelsWithRights, type ChannelWithRights } from "../../channels/subscriptions/access.ts";
import type { GroupRow } from "../../people/user-groups/queries.ts";
import type { Offer } from "./offer.ts";

export type InvitationRow = Selectable<InvitationsTable>;
export type LinkRow = Selectable<InvitationLinksTable>;

/** Throws unless the user may make this offer with this kind of invitation. */
export async function accessInviting(
  tx: Tx,
  user: User,
  permission: "can_invite_users_group" | "create_multiuse_invite_group",
  offer: Offer,
): Promise<void> {
  const held = await heldRealmPermissions(tx, user, [permission]);
  if (!held.has(permission) || !mayOfferRole(user, offer)) throw insufficientPermission();
  if (offer.welcomeText !== null && !isAdministrator(user)) throw new ApiError("Must be an organization administrator");
  await accessOfferedChannels(tx, user, offer.channelIds);
  await accessOfferedGroups(tx, user, offer.groupIds);
}

/** Roles with more rights have smaller numbers. */
export const mayOfferRole = (user: Pick<User, "role">, { role }: Pick<Offer, "role">): boolean => role >= user.role;

async function accessOfferedChannels(tx: Tx, user: User, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const judged = await loadChannelsWithRights(tx, user, ids);
  const visible = new Map(judged.filter(isVisible).map((channel) => [channel.id, channel]));
  const unknown = ids.find((id) => !visible.has(id));
  if (unknown !== undefined) throw new ApiError(`Invalid channel ID ${unknown}. No invites were sent.`);
  const addsSomewhere = judged.some((channel) => channel.may_add);
  if (!addsSomewhere || !judged.every(mayOffer))
    throw new ApiError("You do not have permission to subscribe other users to channels.");
}

const isVisible = (channel: ChannelWithRights) => !channel.is_archived && (channel.may_join || channel.is_default);
const mayOffer = (channel: ChannelWithRights) => channel.is_default || (channel.may_join && channel.may_add);

/** Those of the channels that the inviter may subscribe people to now. */
export async function listOfferedChannels(tx: Tx, inviter: User, ids: readonly number[]): Promise<Channel[]> {
  const judged = ids.length === 0 ? [] : await loadChannelsWithRights(tx, inviter, ids);
  return judged.filter((channel) => isVisible(channel) && mayOffer(channel));
}

async function accessOfferedGroups(tx: Tx, user: User, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const groups = new Map((await judgeGroups(tx, user, ids)).map((group) => [group.id, group]));
  for (const id of ids) {
    const group = groups.get(id);
    if (!group) throw new ApiError("Invalid user group");
    if (group.deactivated) throw new ApiError("User group is deactivated.");
    if (!group.may_add) throw insufficientPermission();
  }
}

/** Those of the groups that the inviter may add people to now. */
export async function listOfferedGroups(tx: Tx, inviter: User, ids: readonly number[]): Promise<GroupRow[]> {
  const judged = ids.length === 0 ? [] : await judgeGroups(tx, inviter, ids);
  return judged.filter((group) => group.may_add && !group.deactivated);
}

type JudgedGroup = GroupRow & { may_add: boolean };

/** Those of the groups that have a name, ordered by ID, and locked against changes until the transaction ends. */
async function judgeGroups(tx: Tx, user: User, ids: readonly number[]): Promise<JudgedGroup[]> {
  const isIn = (group: string) => sql`in_group(${user.id}, ${user.rank}, ${sql.ref(group)})`;
  const managesAll = (await heldRealmPermissions(tx, user, ["can_manage_all_groups"])).size > 0;
  const { rows } = await sql<JudgedGroup>`
    select *,
      not is_system and ${user.role < roles.guest}
        and (${managesAll} or ${isIn("can_manage_group_id")} or ${isIn("can_add_members_group_id")}) as may_add
    from user_groups
    where realm_id = ${user.realm_id} and id = any(${ids}::bigint[]) and name is not null
    order by id for share`.execute(tx);
  return rows;
}

const noSuchInvitation = () => new ApiError("No such invitation");

/** A pending invitation that the user may manage, locked until the transaction ends. */
export async function accessInvitationForUpdate(tx: Tx, user: User, id: number): Promise<InvitationRow> {
  const invitation = await tx
    .selectFrom("invitations")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .where("state", "=", "pending")
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", sql<Date>`now()`)]))
    .forUpdate()
    .executeTakeFirst();
  return manageable(user, invitation);
}

export async function accessLinkForUpdate(tx: Tx, user: User, id: number): Promise<LinkRow> {
  const link = await tx
    .selectFrom("invitation_links")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return manageable(user, link);
}

function manageable<T extends { invited_by_id: number; role: number }>(user: User, found: T | undefined): T {
  if (!found || !(found.invited_by_id === user.id || isAdministrator(user))) throw noSuchInvitation();
  if (found.role === roles.owner && user.role !== roles.owner) throw new ApiError("Must be an organization owner");
  return found;
}
