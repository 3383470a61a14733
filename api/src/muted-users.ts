/** People a user does not want to hear. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

const mutedUsers = z
  .array(z.strictObject({ id: z.int(), timestamp: z.int().describe("When the user was muted.") }))
  .describe("Whom the caller has muted, the first one first.");

const params = { muted_user_id: json(z.int()).describe("The user's ID.") };

export const muteUser = endpoint({
  operation: "mute-user",
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id}",
  auth: "user",
  area: "Users",
  summary: "Mute a user",
  description: "Not hear somebody: what they have written and what they will write is read for the caller.",
  params,
  returns: {},
});

export const unmuteUser = endpoint({
  operation: "unmute-user",
  method: "DELETE",
  path: "/users/me/muted_users/{muted_user_id}",
  auth: "user",
  area: "Users",
  summary: "Unmute a user",
  description: "Hear somebody again. What they wrote meanwhile stays read.",
  params,
  returns: {},
});

export const mutedUserState = { muted_users: mutedUsers };

export const mutedUsersEvent = z.strictObject({ type: z.literal("muted_users"), muted_users: mutedUsers });
