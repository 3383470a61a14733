/** Finds an emoji by its name alone, or by name, code and type together, which must then agree. */
import type { ReactionType } from "@skein/api/status.ts";
import { ApiError } from "../../../errors.ts";
import { nameToCode, codeToNames } from "../../../markdown/emoji.ts";
import type { Db } from "../../../platform/db/connect.ts";

export interface Emoji {
  emoji_name: string;
  emoji_code: string;
  reaction_type: ReactionType;
}

/** The one emoji built into the server that is not in Unicode. */
const extraEmoji = "zulip";

interface EmojiParams {
  emoji_name: string;
  emoji_code?: string | undefined;
  reaction_type?: string | undefined;
}

export async function accessEmoji(db: Db, realmId: number, requested: EmojiParams): Promise<Emoji> {
  const { emoji_name, emoji_code, reaction_type } = requested;
  if (emoji_code !== undefined && reaction_type !== undefined)
    return accessExactEmoji(db, realmId, { emoji_name, emoji_code, reaction_type });
  const named = await accessEmojiByName(db, realmId, emoji_name);
  const { emoji_code: code = named.emoji_code, reaction_type: type = named.reaction_type } = requested;
  return accessExactEmoji(db, realmId, { emoji_name, emoji_code: code, reaction_type: type });
}

/** A custom emoji takes precedence over a built-in one of the same name. */
async function accessEmojiByName(db: Db, realmId: number, emoji_name: string): Promise<Emoji> {
  // PostgreSQL rejects NUL, and no emoji's name contains it.
  const custom = emoji_name.includes("\0")
    ? undefined
    : await db
        .selectFrom("custom_emoji")
        .select("id")
        .where("realm_id", "=", realmId)
        .where("name", "=", emoji_name)
        .where("deactivated", "=", false)
        .executeTakeFirst();
  if (custom) return { emoji_name, emoji_code: String(custom.id), reaction_type: "realm_emoji" };
  if (emoji_name === extraEmoji) return { emoji_name, emoji_code: emoji_name, reaction_type: "zulip_extra_emoji" };
  const code = nameToCode.get(emoji_name);
  if (code === undefined) throw new ApiError(`Emoji '${emoji_name}' does not exist`);
  return { emoji_name, emoji_code: code, reaction_type: "unicode_emoji" };
}

async function accessExactEmoji(
  db: Db,
  realmId: number,
  { emoji_name, emoji_code, reaction_type }: { emoji_name: string; emoji_code: string; reaction_type: string },
): Promise<Emoji> {
  switch (reaction_type) {
    case "unicode_emoji": {
      const names = codeToNames.get(emoji_code);
      if (!names) throw new ApiError("Invalid emoji code.");
      if (!names.includes(emoji_name)) throw new ApiError("Invalid emoji name.");
      return { emoji_name, emoji_code: emoji_code, reaction_type };
    }
    case "zulip_extra_emoji":
      if (emoji_code !== extraEmoji) throw new ApiError("Invalid emoji code.");
      if (emoji_name !== extraEmoji) throw new ApiError("Invalid emoji name.");
      return { emoji_name, emoji_code, reaction_type };
    case "realm_emoji":
      await accessCustomEmoji(db, realmId, emoji_code, emoji_name);
      return { emoji_name, emoji_code: emoji_code, reaction_type };
    default:
      throw new ApiError("Invalid emoji type.");
  }
}

async function accessCustomEmoji(db: Db, realmId: number, code: string, name: string): Promise<void> {
  const custom = /^[1-9]\d{0,14}$/.test(code)
    ? await db
        .selectFrom("custom_emoji")
        .select(["name", "deactivated"])
        .where("realm_id", "=", realmId)
        .where("id", "=", Number(code))
        .executeTakeFirst()
    : undefined;
  if (!custom) throw new ApiError("Invalid custom emoji.");
  if (custom.name !== name) throw new ApiError("Invalid custom emoji name.");
  if (custom.deactivated) throw new ApiError("This custom emoji has been deactivated.");
}
