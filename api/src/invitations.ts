/** Invitations: by mail to one address, and as links that anybody may use. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";
import { role } from "./users.ts";

/** Enough for any list of people, and for a request that stays a request. */
export const maxInviteeText = 200_000;
const maxIds = 10_000;
/** As far as a calendar goes. */
const maxMinutes = 2_147_483_647;

const area = "Invitations";
const ids = z.array(z.int()).max(maxIds);

const validity = json(z.int().min(1).max(maxMinutes).nullable())
  .optional()
  .describe("For how many minutes it can be used; null for ever. Left out, what the server has as default: 10 days.");

const invitationParams = {
  invite_expires_in_minutes: validity,
  invite_as: json(role)
    .default(400)
    .describe("The role of whoever joins, no mightier than one's own: 100, 200, 300, 400 or 600."),
  group_ids: json(ids).default([]).describe("The user groups they join; one must be allowed to add people to each."),
  include_realm_default_subscriptions: json(z.boolean())
    .default(false)
    .describe("Whether they are subscribed to the organization's default channels."),
};

const channelIds = json(ids);
const channelsMeaning =
  "The channels they are subscribed to: default channels, or those one may add subscribers to. Empty for whoever may " +
  "not subscribe others.";

export const invitation = z.strictObject({
  id: z.int().describe("Invitations by mail and links are numbered apart."),
  invited_by_user_id: z.int().describe("Who made it."),
  invited: z.int().describe("When it was made, or sent last."),
  expiry_date: z.int().nullable().describe("Until when it can be used; null for ever."),
  invited_as: role.describe("The role of whoever joins."),
  email: z.string().optional().describe("Whom it was sent to; only by mail."),
  notify_referrer_on_join: z.boolean().describe("Whether who made it is told of those who join."),
  link_url: z.string().optional().describe("The link; only of links."),
  is_multiuse: z.boolean().describe("Whether it is a link."),
});
export type Invitation = z.output<typeof invitation>;

export const getInvitations = endpoint({
  operation: "get-invites",
  method: "GET",
  path: "/invites",
  auth: "user",
  area,
  summary: "Get invitations",
  description: "Every open invitation one may manage: one's own, and for administrators all.",
  params: {},
  returns: { invites: z.array(invitation).describe("By mail first, then links.") },
});

export const sendInvitations = endpoint({
  operation: "send-invites",
  method: "POST",
  path: "/invites",
  auth: "user",
  area,
  summary: "Invite people by mail",
  description:
    "Send each of these addresses an invitation to join. Addresses that cannot be invited do not keep the others from " +
    "it: the error tells them apart.",
  params: {
    invitee_emails: textUpTo(maxInviteeText).describe("Addresses, separated by commas or new lines."),
    stream_ids: channelIds.describe(channelsMeaning),
    ...invitationParams,
    notify_referrer_on_join: json(z.boolean())
      .default(true)
      .describe("Whether to be told when somebody joins by this invitation."),
  },
  returns: {},
});

export const createInvitationLink = endpoint({
  operation: "create-invite-link",
  method: "POST",
  path: "/invites/multiuse",
  auth: "user",
  area,
  summary: "Make an invitation link",
  description: "Make a link that any number of people can join by.",
  params: { stream_ids: channelIds.default([]).describe(channelsMeaning), ...invitationParams },
  returns: { invite_link: z.string().describe("The link.") },
});

const inviteId = json(z.int()).describe("The invitation.");

export const revokeInvitation = endpoint({
  operation: "revoke-email-invite",
  method: "DELETE",
  path: "/invites/{invite_id}",
  auth: "user",
  area,
  summary: "Revoke an invitation",
  description: "Take back an invitation that was sent by mail. One's own; administrators may take back any.",
  params: { invite_id: inviteId },
  returns: {},
});

export const revokeInvitationLink = endpoint({
  operation: "revoke-invite-link",
  method: "DELETE",
  path: "/invites/multiuse/{invite_id}",
  auth: "user",
  area,
  summary: "Revoke an invitation link",
  description: "Make a link useless. Who has joined by it stays. One's own; administrators may revoke any.",
  params: { invite_id: inviteId },
  returns: {},
});

export const resendInvitation = endpoint({
  operation: "resend-email-invite",
  method: "POST",
  path: "/invites/{invite_id}/resend",
  auth: "user",
  area,
  summary: "Send an invitation again",
  description: "Mail an invitation once more; it is valid anew for as long as it was at first.",
  params: { invite_id: inviteId },
  returns: {},
});

export const invitationsEvent = z
  .strictObject({ type: z.literal("invites_changed") })
  .describe("Invitations one may manage changed: for administrators, and for who made them. Ask for them anew.");
