/**
 * The link in a mail that somebody opens to join: from an invitation, or to show that an address given to an invitation
 * link, or where everybody may join, is theirs. Whether it can be used is decided by the link itself, by what it belongs to, and by who invited: nobody
 * joins on the word of somebody who is gone, or as more than that person could give by now.
 */
import { roles } from "@skein/api/users.ts";
import { z } from "zod";
import { accountById, type Realm, type User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { peekConfirmation, purpose, takeConfirmation } from "../confirmations/confirmations.ts";
import { mayOfferRole, type InvitationRow, type LinkRow } from "../invitations/access.ts";
import { invitationPurpose } from "../invitations/mail.ts";
import { toOffer, type Offer } from "../invitations/offer.ts";

export const joiningPurpose = purpose({
  name: "joining",
  data: z.strictObject({ link_id: z.int(), email: z.string() }),
});

export const registrationPurpose = purpose({
  name: "registration",
  data: z.strictObject({ email: z.string(), site_url: z.string() }),
});

type Way = typeof invitationPurpose | typeof joiningPurpose | typeof registrationPurpose;

export interface Welcome {
  state: "open";
  /** What the link is. */
  way: Way;
  email: string;
  offer: Offer;
  /** Nobody where everybody may join. */
  inviter: User | undefined;
  notifyReferrer: boolean;
  /** The organization's address as the inviter used it. */
  siteUrl: string;
  /** The invitation that was sent by mail, if it is one. */
  invitationId: number | undefined;
}

export type ClosedState = "used" | "revoked" | "expired" | "unknown";
export interface Closed {
  state: ClosedState;
}

export type Opened = Welcome | Closed;

/** Looks without using it up. */
export async function peekLink(db: Db, realm: Realm, token: string): Promise<Opened> {
  const invitation = await peekConfirmation(db, invitationPurpose, realm, token);
  if (invitation.state === "open") return openInvitation(db, invitation.data.invitation_id);
  if (invitation.state !== "unknown") return invitation;
  const joining = await peekConfirmation(db, joiningPurpose, realm, token);
  if (joining.state === "open") return openJoining(db, joining.data);
  if (joining.state !== "unknown") return joining;
  const registration = await peekConfirmation(db, registrationPurpose, realm, token);
  return registration.state === "open" ? openRegistration(realm, registration.data) : registration;
}

/** Uses it up, if it is open; of several who try at once, one finds it so. */
export async function takeLink(tx: Tx, realm: Realm, token: string): Promise<Opened> {
  const seen = await peekLink(tx, realm, token);
  if (seen.state !== "open") return seen;
  await lockInvitationsTo(tx, realm, seen.email);
  const opened = await peekLink(tx, realm, token);
  if (opened.state !== "open") return opened;
  const taken = await takeConfirmation<object>(tx, opened.way, realm, token);
  return taken.state === "open" ? opened : taken;
}

/** In their order, so that people who join by several links to one address wait for each other and not in a circle. */
async function lockInvitationsTo(tx: Tx, realm: Realm, email: string): Promise<void> {
  await tx
    .selectFrom("invitations")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["email"]), "=", email.toLowerCase()))
    .where("state", "=", "pending")
    .orderBy("id")
    .forUpdate()
    .execute();
}

async function openInvitation(db: Db, id: number): Promise<Opened> {
  const invitation = await db.selectFrom("invitations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const { state, email, notify_referrer } = invitation;
  if (state !== "pending") return { state: state === "accepted" ? "used" : "revoked" };
  const offered = await judgeOffer(db, invitation);
  return offered.state === "open"
    ? { ...offered, way: invitationPurpose, email, notifyReferrer: notify_referrer, invitationId: invitation.id }
    : offered;
}

async function openJoining(db: Db, { link_id, email }: z.output<typeof joiningPurpose.data>): Promise<Opened> {
  const link = await db.selectFrom("invitation_links").selectAll().where("id", "=", link_id).executeTakeFirstOrThrow();
  const offered = await judgeInvitationLink(db, link);
  return offered.state === "open"
    ? { ...offered, way: joiningPurpose, email, notifyReferrer: true, invitationId: undefined }
    : offered;
}

/** Everybody is offered the same. */
const openOffer: Offer = { role: roles.member, channelIds: [], groupIds: [], defaultChannels: true };

function openRegistration(realm: Realm, { email, site_url }: z.output<typeof registrationPurpose.data>): Opened {
  if (realm.invite_required) return { state: "revoked" };
  return {
    state: "open",
    way: registrationPurpose,
    email,
    offer: openOffer,
    inviter: undefined,
    notifyReferrer: false,
    siteUrl: site_url,
    invitationId: undefined,
  };
}

type Offered = (Pick<Welcome, "state" | "offer" | "siteUrl"> & { inviter: User }) | Closed;

/** Whether a link that any number of people may use can be used now. */
export async function judgeInvitationLink(db: Db, link: LinkRow): Promise<Offered> {
  return link.revoked ? { state: "revoked" } : judgeOffer(db, link);
}

async function judgeOffer(db: Db, row: InvitationRow | LinkRow): Promise<Offered> {
  if (row.expires_at && row.expires_at <= new Date()) return { state: "expired" };
  const inviter = await accountById(db, row.invited_by_id);
  const offer = toOffer(row);
  if (!inviter || !mayOfferRole(inviter, offer)) return { state: "revoked" };
  return { state: "open", inviter, offer, siteUrl: row.site_url };
}
