/**
 * Determines the emoji of a reaction to add or remove. A deactivated emoji can still be added where others have used
 * it, and removed.
 */
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessEmoji, type Emoji } from "../../organization/emoji/which-emoji.ts";

export interface EmojiRequest {
  emoji_name?: string | undefined;
  emoji_code?: string | undefined;
  reaction_type?: string | undefined;
}

/** A user who joins a reaction gets the emoji name the others used. */
export async function emojiToAdd(
  tx: Tx,
  realmId: number,
  messageId: number,
  request: EmojiRequest & { emoji_name: string },
): Promise<Emoji> {
  const { emoji_code, reaction_type } = request;
  const isExact = emoji_code !== undefined && reaction_type !== undefined;
  const requested = isExact ? { emoji_code, reaction_type } : await accessEmoji(tx, realmId, request);
  const joined = await tx
    .selectFrom("reactions")
    .select(["emoji_name", "emoji_code", "reaction_type"])
    .where("message_id", "=", messageId)
    .where("emoji_code", "=", withoutNul(requested.emoji_code))
    .where("reaction_type", "=", withoutNul(requested.reaction_type))
    .executeTakeFirst();
  return (joined as Emoji | undefined) ?? accessEmoji(tx, realmId, request); // a check constraint allows only these kinds
}

/** By code, by the name the user reacted with, or by the emoji's current name. */
export async function emojiToRemove(
  tx: Tx,
  user: User,
  messageId: number,
  { emoji_name, emoji_code, reaction_type }: EmojiRequest,
): Promise<{ emoji_code: string; reaction_type: string }> {
  if (emoji_code !== undefined)
    return { emoji_code: withoutNul(emoji_code), reaction_type: withoutNul(reaction_type ?? "unicode_emoji") };
  if (emoji_name === undefined)
    throw new ApiError("At least one of the following arguments must be present: emoji_name, emoji_code");
  const own = await tx
    .selectFrom("reactions")
    .select(["emoji_code", "reaction_type"])
    .where("message_id", "=", messageId)
    .where("user_id", "=", user.id)
    .where("emoji_name", "=", withoutNul(emoji_name))
    .executeTakeFirst();
  return own ?? accessEmoji(tx, user.realm_id, { emoji_name, reaction_type });
}

/** PostgreSQL cannot store NUL, and no emoji contains it. */
const withoutNul = (text: string): string => text.replaceAll("\0", "");
