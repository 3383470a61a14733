import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

const area = "Messages";
const maxEmojiLength = 100;

export const reaction = z.strictObject({
  emoji_name: z.string(),
  emoji_code: z.string().describe("Code points in hex, the ID of a custom emoji, or a name, as reaction_type says."),
  reaction_type: z.enum(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]),
  user_id: z.int(),
});
export type Reaction = z.output<typeof reaction>;

const message_id = json(z.int()).describe("The message's ID.");
const emojiName = textUpTo(maxEmojiLength).describe("The emoji's name.");
const emoji = {
  emoji_code: textUpTo(maxEmojiLength)
    .optional()
    .describe("Which emoji of its kind it is. Found by the name when left out."),
  reaction_type: z
    .string()
    .optional()
    .describe("unicode_emoji, realm_emoji or zulip_extra_emoji. Found by the name when left out."),
};

export const addReaction = endpoint({
  operation: "add-reaction",
  method: "POST",
  path: "/messages/{message_id}/reactions",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Add an emoji reaction",
  description: "React to a message with an emoji, or join others who did so with the same.",
  params: { message_id, emoji_name: emojiName, ...emoji },
  returns: {},
});

export const removeReaction = endpoint({
  operation: "remove-reaction",
  method: "DELETE",
  path: "/messages/{message_id}/reactions",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Remove an emoji reaction",
  description: "Remove the caller's reaction. This also works for an emoji that has been deactivated.",
  params: { message_id, emoji_name: emojiName.optional(), ...emoji },
  returns: {},
});

const eventFields = {
  type: z.literal("reaction"),
  message_id: z.int(),
  ...reaction.shape,
  user: z
    .strictObject({ user_id: z.int(), email: z.string(), full_name: z.string() })
    .describe("The same person once more. Deprecated: see user_id."),
};

export const reactionEvents = [
  z.strictObject({ ...eventFields, op: z.literal("add") }).describe("Somebody reacted to a message."),
  z.strictObject({ ...eventFields, op: z.literal("remove") }).describe("Somebody removed a reaction."),
] as const;

export const endpoints = [addReaction, removeReaction];
