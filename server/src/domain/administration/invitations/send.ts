/** Inviting people by mail. */
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAdministrator } from "../../channels/access.ts";
import { countRecentConfirmations, createConfirmations } from "../../base/confirmations.ts";
import { sendMails } from "../../base/mail/send.ts";
import { accessInvitationForUpdate, accessInviting, type InvitationRow } from "./access.ts";
import { readAddresses } from "./addresses.ts";
import { emitInvitationsChanged } from "./event.ts";
import { invitationMail, invitationPurpose } from "./mail.ts";
import { toColumns, type Offer } from "./offer.ts";
import { dailyLimitReached, invitationFailed, listRefusals, type Refusal } from "./refusals.ts";

export interface InvitationRequest {
  inviteeEmails: string;
  /** Null: never expires. */
  minutes: number | null;
  offer: Offer;
  notifyReferrer: boolean;
  /** The base URL of the links in the mail. */
  siteUrl: string;
}

export interface SendResult {
  sent: boolean;
  invitations: InvitationRow[];
  refused: Refusal[];
}

export async function sendInvitations(
  tx: Tx,
  ctx: TxContext,
  user: User,
  request: InvitationRequest,
): Promise<SendResult> {
  await lockDailyCount(tx, user);
  await accessInviting(tx, user, "can_invite_users_group", request.offer);
  const addresses = readAddresses(request.inviteeEmails);
  if (addresses.length === 0) throw new ApiError("You must specify at least one email address.");
  refuseNewcomers(user);
  const refused = await listRefusals(tx, user.realm, addresses);
  const isRefused = new Set(refused.map(([address]) => address));
  const invited = addresses.filter((address) => !isRefused.has(address));
  if (invited.length === 0) return { sent: false, invitations: [], refused };
  await checkDailyLimit(tx, ctx, user, invited.length);
  const invitations = await addInvitations(tx, user, request, invited);
  await mailInvitations(tx, user, invitations);
  emitInvitationsChanged(tx, user.realm_id, [user.id]);
  return { sent: true, invitations, refused };
}

/** Sends the mail again; the invitation is then valid for the original period, starting now. */
export async function resendInvitation(tx: Tx, ctx: TxContext, user: User, id: number): Promise<void> {
  await lockDailyCount(tx, user);
  const invitation = await accessInvitationForUpdate(tx, user, id);
  await checkDailyLimit(tx, ctx, user, 1);
  const renewed = await tx
    .updateTable("invitations")
    .set({ invited_at: sql<Date>`now()`, expires_at: sql<Date>`now() + (expires_at - invited_at)` })
    .where("id", "=", invitation.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await mailInvitations(tx, user, [renewed]);
  emitInvitationsChanged(tx, user.realm_id, [user.id, invitation.invited_by_id]);
}

const minAccountAgeDays = 3;

/** With open registration, new accounts have to wait a few days before they may send mail to strangers. */
function refuseNewcomers(user: User): void {
  if (user.realm.invite_required || isAdministrator(user)) return;
  if (Date.now() - user.date_joined.getTime() >= minAccountAgeDays * 86_400_000) return;
  throw invitationFailed("Your account is too new to send invitations. Ask an administrator to invite them.");
}

/** Serializes requests of the organization, so that all mails are counted. */
async function lockDailyCount(tx: Tx, { realm_id }: User): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realm_id).forNoKeyUpdate().execute();
}

/** Throws if the organization would exceed its daily limit. */
async function checkDailyLimit(tx: Tx, { config }: TxContext, { realm }: User, more: number): Promise<void> {
  const sent = await countRecentConfirmations(tx, invitationPurpose, realm, { seconds: 86_400 });
  if (sent + more > config.invitationsPerDay) throw dailyLimitReached();
}

async function addInvitations(
  tx: Tx,
  user: User,
  { minutes, offer, notifyReferrer, siteUrl }: InvitationRequest,
  addresses: readonly string[],
): Promise<InvitationRow[]> {
  const { role, channel_ids, group_ids, default_channels, welcome_message_custom_text } = toColumns(offer);
  const { rows } = await sql<InvitationRow>`
    insert into invitations (realm_id, email, invited_by_id, expires_at, role, channel_ids, group_ids, default_channels,
      notify_referrer, site_url, welcome_message_custom_text)
    select ${user.realm_id}, email, ${user.id}, now() + make_interval(mins => ${minutes}), ${role}, ${channel_ids}::bigint[],
      ${group_ids}::bigint[], ${default_channels}, ${notifyReferrer}, ${siteUrl}, ${welcome_message_custom_text}
    from unnest(${addresses}::text[]) with ordinality as invited (email, position) order by position
    returning *`.execute(tx);
  return rows;
}

async function mailInvitations(tx: Tx, inviter: User, invitations: readonly InvitationRow[]): Promise<void> {
  const { realm } = inviter;
  const confirmations = invitations.map(({ id, expires_at }) => ({
    data: { invitation_id: id },
    expiresAt: expires_at,
  }));
  const tokens = await createConfirmations(tx, invitationPurpose, realm, confirmations);
  const mails = invitations.map((invitation, index) => invitationMail(inviter, invitation, tokens[index] ?? ""));
  await sendMails(tx, realm, mails);
}
