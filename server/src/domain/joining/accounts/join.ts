/** Creates a newcomer's account with its groups and channels, in one transaction. */
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAdministrator } from "../../channels/access.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { listDefaultChannels } from "../../channels/default-channels/queries.ts";
import { listOfferedChannels, listOfferedGroups } from "../../administration/invitations/access.ts";
import { emitInvitationsChanged } from "../../administration/invitations/event.ts";
import { revokeInvitationsTo } from "../../administration/invitations/revoke.ts";
import { sendMail } from "../../base/mail/send.ts";
import { subscribeNewcomer } from "../../administration/subscriptions/newcomer.ts";
import { emitGroupEvent } from "../../people/user-groups/event-shapes.ts";
import { addUser } from "../../administration/users/actions.ts";
import { accountReadyMail } from "./mails.ts";
import type { OpenLink } from "./open-link.ts";
import { announceNewcomer } from "../../administration/users/welcome.ts";

interface Person {
  full_name: string;
  /** Null for a newcomer who signs in with an identity provider. */
  password_hash: string | null;
}

/** The link has been used up in the same transaction. Throws if the person cannot join; the link then stays valid. */
export async function join(tx: Tx, ctx: TxContext, realm: Realm, link: OpenLink, person: Person): Promise<User> {
  const { email, offer } = link;
  const user = await addUser(tx, realm, {
    ...person,
    email,
    role: offer.role,
    joinsDefaultChannels: false,
  });
  await joinGroups(tx, user, link);
  await joinChannels(tx, user, link);
  await settleInvitations(tx, realm, link);
  const { inviter } = link;
  const welcomeText = inviter && isAdministrator(inviter) ? offer.welcomeText : null;
  await announceNewcomer(tx, ctx, realm, user, { ...link, welcomeText });
  if (realm.send_welcome_emails)
    await sendMail(
      tx,
      realm,
      accountReadyMail(realm, email, link.siteUrl, { hasPassword: person.password_hash !== null }),
    );
  return user;
}

/** Skips groups that the inviter may no longer add people to. */
async function joinGroups(tx: Tx, user: User, { inviter, offer }: OpenLink): Promise<void> {
  const groups = inviter ? await listOfferedGroups(tx, inviter, offer.groupIds) : [];
  if (groups.length === 0) return;
  await sql`
    insert into user_group_members (group_id, user_id, realm_id)
    select id, ${user.id}, ${user.realm_id} from unnest(${groups.map((group) => group.id)}::bigint[]) as id`.execute(
    tx,
  );
  for (const group of groups) emitGroupEvent(tx, group, { op: "add_members", group_id: group.id, user_ids: [user.id] });
}

/** The default channels, if the invitation includes them, and those that the inviter may still subscribe people to. */
async function joinChannels(tx: Tx, user: User, { inviter, offer }: OpenLink): Promise<void> {
  const standard = offer.defaultChannels ? await listDefaultChannels(tx, user.realm_id) : [];
  const ids = [...new Set([...standard.map((channel) => channel.id), ...offer.channelIds])];
  if (ids.length === 0) return;
  const boundary = await lockChannelsForSubscriptionChange(tx, ids);
  const offered = inviter ? await listOfferedChannels(tx, inviter, offer.channelIds) : [];
  const channels = new Map([...standard, ...offered].map((channel) => [channel.id, channel]));
  await subscribeNewcomer(tx, user, boundary, [...channels.values()]);
}

/** Accepts the invitation that was used and revokes all others to the same address. */
async function settleInvitations(tx: Tx, realm: Realm, { email, inviter, invitationId }: OpenLink): Promise<void> {
  if (invitationId !== undefined)
    await tx.updateTable("invitations").set({ state: "accepted" }).where("id", "=", invitationId).execute();
  const others = await revokeInvitationsTo(tx, realm.id, email);
  const inviters = [...(inviter ? [inviter.id] : []), ...others];
  if (invitationId !== undefined || others.length > 0) emitInvitationsChanged(tx, realm.id, inviters);
}
