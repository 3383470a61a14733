/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../invitations.ts";
import type { Route } from "../route.ts";

export const createInvitationLink: Route<typeof declared.createInvitationLink> = {
  method: "POST",
  path: "/invites/multiuse",
  texts: ["welcome_message_custom_text"],
};
export const getInvitations: Route<typeof declared.getInvitations> = { method: "GET", path: "/invites", texts: [] };
export const resendInvitation: Route<typeof declared.resendInvitation> = {
  method: "POST",
  path: "/invites/{invite_id}/resend",
  texts: [],
};
export const revokeInvitation: Route<typeof declared.revokeInvitation> = {
  method: "DELETE",
  path: "/invites/{invite_id}",
  texts: [],
};
export const revokeInvitationLink: Route<typeof declared.revokeInvitationLink> = {
  method: "DELETE",
  path: "/invites/multiuse/{invite_id}",
  texts: [],
};
export const sendInvitations: Route<typeof declared.sendInvitations> = {
  method: "POST",
  path: "/invites",
  texts: ["invitee_emails", "welcome_message_custom_text"],
};
