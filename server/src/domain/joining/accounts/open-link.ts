/**
 * The link in a mail that a person opens to join. It comes from an invitation, or it verifies an address that was entered
 * for an invitation link or for open registration. It works only while the link itself, the invitation and the inviter are
 * valid: the inviter must still be active and allowed to grant the role.
 */
import { roles } from "@skein/api/users.ts";
import { z } from "zod";
import { accountById, type Realm, type User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { peekConfirmation, purpose, consumeConfirmation } from "../../base/confirmations.ts";
import { mayOfferRole, type InvitationRow, type LinkRow } from "../../administration/invitations/access.ts";
import { invitationPurpose } from "../../administration/invitations/mail.ts";
import { toOffer, type Offer } from "../../administration/invitations/offer.ts";

export const joiningPurpose = purpose({
  name: "joining",
  data: z.strictObject({ link_id: z.int(), email: z.string() }),
});

export const registrationPurpose = purpose({
  name: "registration",
  data: z.strictObject({ email: z.string(), site_url: z.string() }),
});

type LinkPurpose = typeof invitationPurpose | typeof joiningPurpose | typeof registrationPurpose;

export interface OpenLink {
  state: "open";
  purpose: LinkPurpose;
  email: string;
  offer: Offer;
  /** Undefined for open registration. */
  inviter: User | undefined;
  notifyReferrer: boolean;
  /** The organization's URL as the inviter used it. */
  siteUrl: string;
  /** Only for an invitation that was sent by mail. */
  invitationId: number | undefined;
}

export type ClosedState = "used" | "revoked" | "expired" | "unknown";
export interface ClosedLink {
  state: ClosedState;
}

export type JoinLink = OpenLink | ClosedLink;

/** Checks the link without using it up. */
export async function peekLink(db: Db, realm: Realm, token: string): Promise<JoinLink> {
  const invitation = await peekConfirmation(db, invitationPurpose, realm, token);
  if (invitation.state === "open") return openInvitation(db, invitation.data.invitation_id);
  if (invitation.state !== "unknown") return invitation;
  const joining = await peekConfirmation(db, joiningPurpose, realm, token);
  if (joining.state === "open") return openJoining(db, joining.data);
  if (joining.state !== "unknown") return joining;
  const registration = await peekConfirmation(db, registrationPurpose, realm, token);
  return registration.state === "open" ? openRegistration(realm, registration.data) : registration;
}

/** Uses the link up if it is open; of several concurrent calls, one succeeds. */
export async function takeLink(tx: Tx, realm: Realm, token: string): Promise<JoinLink> {
  const seen = await peekLink(tx, realm, token);
  if (seen.state !== "open") return seen;
  await lockInvitationsTo(tx, realm, seen.email);
  const opened = await peekLink(tx, realm, token);
  if (opened.state !== "open") return opened;
  const taken = await consumeConfirmation<object>(tx, opened.purpose, realm, token);
  return taken.state === "open" ? opened : taken;
}

/** Locks in order of ID, so that concurrent joins with links to the same address cannot deadlock. Returns the IDs. */
export async function lockInvitationsTo(tx: Tx, realm: Realm, email: string): Promise<number[]> {
  const locked = await tx
    .selectFrom("invitations")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["email"]), "=", email.toLowerCase()))
    .where("state", "=", "pending")
    .orderBy("id")
    .forUpdate()
    .execute();
  return locked.map(({ id }) => id);
}

export async function openInvitation(db: Db, id: number): Promise<JoinLink> {
  const invitation = await db.selectFrom("invitations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const { state, email, notify_referrer } = invitation;
  if (state !== "pending") return { state: state === "accepted" ? "used" : "revoked" };
  const offered = await checkOffer(db, invitation);
  return offered.state === "open"
    ? { ...offered, purpose: invitationPurpose, email, notifyReferrer: notify_referrer, invitationId: invitation.id }
    : offered;
}

async function openJoining(db: Db, { link_id, email }: z.output<typeof joiningPurpose.data>): Promise<JoinLink> {
  const link = await db.selectFrom("invitation_links").selectAll().where("id", "=", link_id).executeTakeFirstOrThrow();
  const offered = await checkInvitationLink(db, link);
  return offered.state === "open"
    ? { ...offered, purpose: joiningPurpose, email, notifyReferrer: true, invitationId: undefined }
    : offered;
}

/** What open registration grants. */
const openOffer: Offer = {
  role: roles.member,
  channelIds: [],
  groupIds: [],
  defaultChannels: true,
  welcomeText: null,
};

function openRegistration(realm: Realm, data: z.output<typeof registrationPurpose.data>): JoinLink {
  return realm.invite_required ? { state: "revoked" } : joinWithoutInvitation(data);
}

/** What somebody gets who needs no invitation. */
export function joinWithoutInvitation({ email, site_url }: z.output<typeof registrationPurpose.data>): OpenLink {
  return {
    state: "open",
    purpose: registrationPurpose,
    email,
    offer: openOffer,
    inviter: undefined,
    notifyReferrer: false,
    siteUrl: site_url,
    invitationId: undefined,
  };
}

type CheckedOffer = (Pick<OpenLink, "state" | "offer" | "siteUrl"> & { inviter: User }) | ClosedLink;

/** Checks whether a multi-use link works now. */
export async function checkInvitationLink(db: Db, link: LinkRow): Promise<CheckedOffer> {
  return link.revoked ? { state: "revoked" } : checkOffer(db, link);
}

async function checkOffer(db: Db, row: InvitationRow | LinkRow): Promise<CheckedOffer> {
  if (row.expires_at && row.expires_at <= new Date()) return { state: "expired" };
  const inviter = await accountById(db, row.invited_by_id);
  const offer = toOffer(row);
  if (!inviter || !mayOfferRole(inviter, offer)) return { state: "revoked" };
  return { state: "open", inviter, offer, siteUrl: row.site_url };
}
