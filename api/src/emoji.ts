/** Custom emoji: images that an organization adds to the built-in emoji. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";

export const maxEmojiFileMebibytes = 5;

export const customEmoji = z
  .strictObject({
    id: z.string().describe("The emoji's ID, in digits; the key it stands under."),
    name: z.string().describe("The name between the colons."),
    source_url: z.string().describe("The image's URL, relative to the organization's."),
    still_url: z.string().nullable().describe("For an animation, the URL of its first frame; null otherwise."),
    deactivated: z.boolean().describe("If true, it is still shown where it was used, but cannot be used again."),
    author_id: z.int().nullable().describe("Who added it."),
  })
  .meta({ id: "CustomEmoji" });
export type CustomEmoji = z.output<typeof customEmoji>;

const allEmoji = z.record(z.string(), customEmoji).describe("By ID, deactivated ones too.");

const area = "Server and organization";
const emojiName = z
  .string()
  .describe(
    "Letters, digits, dashes, underscores and periods. Letters become lowercase, and spaces become underscores.",
  );

export const getCustomEmoji = endpoint({
  operation: "get-custom-emoji",
  method: "GET",
  path: "/realm/emoji",
  auth: "user",
  scope: "messages:read",
  area,
  summary: "Get all custom emoji",
  description: "Every emoji that was ever added to this organization.",
  params: {},
  returns: { emoji: allEmoji },
});

export const uploadCustomEmoji = endpoint({
  operation: "upload-custom-emoji",
  method: "POST",
  path: "/realm/emoji/{emoji_name}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Upload custom emoji",
  description:
    "Add an emoji. The organization's settings determine who may; only administrators can override a built-in name.",
  params: { emoji_name: emojiName },
  file: `The picture, still or animated: AVIF, GIF, JPEG, PNG or WebP of at most ${maxEmojiFileMebibytes} MiB.`,
  returns: {},
});

export const deactivateCustomEmoji = endpoint({
  operation: "deactivate-custom-emoji",
  method: "DELETE",
  path: "/realm/emoji/{emoji_name}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Deactivate custom emoji",
  description:
    "Prevent further use of an emoji. Existing uses remain. For the user who added it, and for administrators.",
  params: { emoji_name: emojiName },
  returns: {},
});

export const customEmojiEvent = z
  .strictObject({ type: z.literal("realm_emoji"), op: z.literal("update"), realm_emoji: allEmoji })
  .describe("A custom emoji was added or deactivated; these are all of them.");

export const customEmojiState = { realm_emoji: allEmoji };

export const endpoints = [getCustomEmoji, uploadCustomEmoji, deactivateCustomEmoji];
