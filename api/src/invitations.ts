/** Invitations: e-mails to one address each, and links that anybody may use. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";
import { maxWelcomeTextLength } from "./realm.ts";
import { powerfulRoles, role } from "./users.ts";

/** Enough for any realistic list of e-mail addresses. */
export const maxInviteeText = 200_000;
const maxIds = 10_000;
/** Keeps the expiry date within the range of dates. */
const maxMinutes = 2_147_483_647;

const area = "Invitations";
const ids = list(z.int(), maxIds);

const validity = json(z.int().min(1).max(maxMinutes).nullable())
  .optional()
  .describe("For how many minutes it is valid; null for no limit. The default is 10 days.");

const welcomeText = textUpTo(maxWelcomeTextLength)
  .optional()
  .describe(
    "What the welcome bot adds to its greeting, in Markdown; empty for nothing. The organization's text when left out. " +
      "For administrators.",
  );

const invitationParams = {
  invite_expires_in_minutes: validity,
  invite_as: json(role)
    .default(400)
    .describe("The role of the new users: 100, 200, 300, 400 or 600. It cannot exceed the caller's own."),
  group_ids: json(ids)
    .default([])
    .describe("The user groups they join. The caller must be allowed to add members to each."),
  include_realm_default_subscriptions: json(z.boolean())
    .default(false)
    .describe("Whether they are subscribed to the organization's default channels."),
  welcome_message_custom_text: welcomeText,
};

const channelIds = json(ids);
const channelsMeaning =
  "The channels they are subscribed to: default channels, or those the caller may add subscribers to. Must be empty if " +
  "the caller may not subscribe others.";

export const invitation = z.strictObject({
  id: z.int().describe("E-mail invitations and links are numbered separately."),
  invited_by_user_id: z.int().describe("Who made it."),
  invited: z.int().describe("When it was created, or last sent."),
  expiry_date: z.int().nullable().describe("When it expires; null for never."),
  invited_as: role.describe("The role of the new users."),
  email: z.string().optional().describe("The recipient's e-mail address; only for e-mail invitations."),
  notify_referrer_on_join: z.boolean().describe("Whether the inviter is notified when somebody joins."),
  link_url: z.string().optional().describe("The URL; only for links."),
  is_multiuse: z.boolean().describe("Whether it is a link."),
});
export type Invitation = z.output<typeof invitation>;

export const getInvitations = endpoint({
  operation: "get-invites",
  method: "GET",
  path: "/invites",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Get invitations",
  description: "All pending invitations that the caller may manage: their own, or for administrators all of them.",
  params: {},
  returns: { invites: z.array(invitation).describe("E-mail invitations first, then links.") },
});

export const sendInvitations = endpoint({
  operation: "send-invites",
  method: "POST",
  path: "/invites",
  auth: "user",
  scope: "users:manage",
  stepUp: { invite_as: powerfulRoles },
  area,
  summary: "Invite people by e-mail",
  description:
    "Send an invitation to each of these addresses. Addresses that cannot be invited do not prevent the others from " +
    "being invited: the error lists them.",
  params: {
    invitee_emails: textUpTo(maxInviteeText).describe("E-mail addresses, separated by commas or newlines."),
    stream_ids: channelIds.describe(channelsMeaning),
    ...invitationParams,
    notify_referrer_on_join: json(z.boolean())
      .default(true)
      .describe("Whether to be notified when somebody accepts this invitation."),
  },
  returns: {},
});

export const createInvitationLink = endpoint({
  operation: "create-invite-link",
  method: "POST",
  path: "/invites/multiuse",
  auth: "user",
  scope: "users:manage",
  stepUp: { invite_as: powerfulRoles },
  area,
  summary: "Create an invitation link",
  description: "Create a link with which any number of people can join.",
  params: { stream_ids: channelIds.default([]).describe(channelsMeaning), ...invitationParams },
  returns: { invite_link: z.string().describe("The link.") },
});

const inviteId = json(z.int()).describe("The invitation.");

export const revokeInvitation = endpoint({
  operation: "revoke-email-invite",
  method: "DELETE",
  path: "/invites/{invite_id}",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Revoke an invitation",
  description: "Revoke an e-mail invitation. Users can revoke their own, administrators any.",
  params: { invite_id: inviteId },
  returns: {},
});

export const revokeInvitationLink = endpoint({
  operation: "revoke-invite-link",
  method: "DELETE",
  path: "/invites/multiuse/{invite_id}",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Revoke an invitation link",
  description: "Revoke a link. Users who have joined with it stay. Users can revoke their own, administrators any.",
  params: { invite_id: inviteId },
  returns: {},
});

export const resendInvitation = endpoint({
  operation: "resend-email-invite",
  method: "POST",
  path: "/invites/{invite_id}/resend",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Send an invitation again",
  description: "Send an invitation again. Its validity period starts over.",
  params: { invite_id: inviteId },
  returns: {},
});

export const invitationsEvent = z
  .strictObject({ type: z.literal("invites_changed") })
  .describe(
    "Invitations that the reader may manage have changed. Sent to administrators and to the inviter, who should fetch them again.",
  );

export const endpoints = [
  getInvitations,
  sendInvitations,
  createInvitationLink,
  revokeInvitation,
  revokeInvitationLink,
  resendInvitation,
];
