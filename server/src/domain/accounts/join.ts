/** Joining: the account, and what goes with it, in one transaction. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { lockChannelsForSubscriptionChange } from "../channels/lock.ts";
import { listDefaultChannels } from "../default-channels/queries.ts";
import { listOfferedChannels, listOfferedGroups } from "../invitations/access.ts";
import { emitInvitationsChanged } from "../invitations/event.ts";
import { revokeInvitationsTo } from "../invitations/revoke.ts";
import { sendMail } from "../mail/send.ts";
import { subscribeNewcomer } from "../subscriptions/newcomer.ts";
import { emitGroupEvent } from "../user-groups/event-shapes.ts";
import { addUser } from "../users/actions.ts";
import { accountReadyMail } from "./mails.ts";
import type { Welcome } from "./open-link.ts";
import { announceNewcomer } from "./welcome.ts";

interface Person {
  full_name: string;
  password_hash: string;
}

/** For somebody whose link has been taken. Throws what keeps them from joining, and then the link stays as it was. */
export async function join(tx: Tx, ctx: Context, realm: Realm, welcome: Welcome, person: Person): Promise<User> {
  const { email, offer } = welcome;
  const user = await addUser(tx, realm, {
    ...person,
    email,
    role: offer.role,
    joinsDefaultChannels: false,
  });
  await joinGroups(tx, user, welcome);
  await joinChannels(tx, user, welcome);
  await settleInvitations(tx, realm, welcome);
  await announceNewcomer(tx, ctx, realm, user, welcome);
  if (realm.send_welcome_emails) await sendMail(tx, realm, accountReadyMail(realm, email, welcome.siteUrl));
  return user;
}

/** Those the inviter may still add people to. */
async function joinGroups(tx: Tx, user: User, { inviter, offer }: Welcome): Promise<void> {
  const groups = inviter ? await listOfferedGroups(tx, inviter, offer.groupIds) : [];
  if (groups.length === 0) return;
  await sql`
    insert into user_group_members (group_id, user_id, realm_id)
    select id, ${user.id}, ${user.realm_id} from unnest(${groups.map((group) => group.id)}::bigint[]) as id`.execute(
    tx,
  );
  for (const group of groups) emitGroupEvent(tx, group, { op: "add_members", group_id: group.id, user_ids: [user.id] });
}

/** The default ones, if they are wanted, and those the inviter may still subscribe people to. */
async function joinChannels(tx: Tx, user: User, { inviter, offer }: Welcome): Promise<void> {
  const standard = offer.defaultChannels ? await listDefaultChannels(tx, user.realm_id) : [];
  const ids = [...new Set([...standard.map((channel) => channel.id), ...offer.channelIds])];
  if (ids.length === 0) return;
  const boundary = await lockChannelsForSubscriptionChange(tx, ids);
  const offered = inviter ? await listOfferedChannels(tx, inviter, offer.channelIds) : [];
  const channels = new Map([...standard, ...offered].map((channel) => [channel.id, channel]));
  await subscribeNewcomer(tx, user, boundary, [...channels.values()]);
}

/** The one that was used is accepted; whatever else was sent to the address is of no use any more. */
async function settleInvitations(tx: Tx, realm: Realm, { email, inviter, invitationId }: Welcome): Promise<void> {
  if (invitationId !== undefined)
    await tx.updateTable("invitations").set({ state: "accepted" }).where("id", "=", invitationId).execute();
  const others = await revokeInvitationsTo(tx, realm.id, email);
  const inviters = [...(inviter ? [inviter.id] : []), ...others];
  if (invitationId !== undefined || others.length > 0) emitInvitationsChanged(tx, realm.id, inviters);
}
