/** A user's status: a short text, an emoji, or both. */
import { z } from "zod";
import { deprecated, endpoint, json, textUpTo } from "./endpoint.ts";

export const maxStatusTextLength = 60;

const area = "Users";
const reactionType = z.enum(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]);
export type ReactionType = z.output<typeof reactionType>;

const away = z.boolean().describe("Deprecated: whether the user appears offline; the opposite of presence_enabled.");

/** Unset fields are absent. */
export const userStatus = z
  .strictObject({
    status_text: z.string().optional(),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional().describe("What the emoji is in the namespace of its reaction_type."),
    reaction_type: reactionType.optional(),
    away: away.optional(),
  })
  .meta({ id: "UserStatus" });
export type UserStatus = z.output<typeof userStatus>;

const statusParams = {
  status_text: textUpTo(maxStatusTextLength).optional().describe("The text; empty for none."),
  emoji_name: z.string().optional().describe("The emoji; empty for none."),
  emoji_code: z.string().optional().describe("The emoji's code, by its reaction_type. Only with emoji_name."),
  reaction_type: z
    .string()
    .optional()
    .describe("unicode_emoji, realm_emoji or zulip_extra_emoji. Only with emoji_name."),
};

export const updateStatus = endpoint({
  operation: "update-status",
  method: "POST",
  path: "/users/me/status",
  auth: "user",
  scope: "account",
  area,
  summary: "Update your status",
  description: "Set the text or the emoji of the caller's status. Omitted parameters stay unchanged.",
  params: {
    ...statusParams,
    away: deprecated(json(z.boolean()).optional()).describe(
      "Whether to appear offline: the opposite of presence_enabled.",
    ),
  },
  returns: {},
});

export const updateUserStatus = endpoint({
  operation: "update-status-for-user",
  method: "POST",
  path: "/users/{user_id}/status",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Update a user's status",
  description: "Set the text or the emoji of somebody's status. For administrators. Omitted parameters stay unchanged.",
  params: { user_id: json(z.int()).describe("The user, who must not be a bot."), ...statusParams },
  returns: {},
});

export const getUserStatus = endpoint({
  operation: "get-user-status",
  method: "GET",
  path: "/users/{user_id}/status",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get a user's status",
  description: "The status a user has set; empty when there is none.",
  params: { user_id: json(z.int()).describe("The user.") },
  returns: { status: userStatus },
});

export const userStatusState = {
  user_status: z.record(z.string(), userStatus).describe("By user ID, of users who have set one."),
};

/** A removed emoji has an empty name and code. */
export const userStatusEvent = z
  .strictObject({
    type: z.literal("user_status"),
    user_id: z.int(),
    status_text: z.string().optional(),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: reactionType.optional(),
    away: away.optional(),
  })
  .describe("A user's status has changed. Only changed fields are present; an empty text means none.");

export const endpoints = [updateStatus, updateUserStatus, getUserStatus];
