/** Muted users: a user's list of people whose messages they do not want to see. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

const mutedUsers = z
  .array(z.strictObject({ id: z.int(), timestamp: z.int().describe("When the user was muted.") }))
  .describe("The users the caller has muted, oldest first.");

const params = { muted_user_id: json(z.int()).describe("The user's ID.") };

export const muteUser = endpoint({
  operation: "mute-user",
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id}",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Mute a user",
  description: "Mute a user: their past and future messages are marked as read for the caller.",
  params,
  returns: {},
});

export const unmuteUser = endpoint({
  operation: "unmute-user",
  method: "DELETE",
  path: "/users/me/muted_users/{muted_user_id}",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Unmute a user",
  description: "Unmute a user. Messages they sent meanwhile stay read.",
  params,
  returns: {},
});

export const mutedUserState = { muted_users: mutedUsers };

export const mutedUsersEvent = z.strictObject({ type: z.literal("muted_users"), muted_users: mutedUsers });

export const endpoints = [muteUser, unmuteUser];
