/** Which emoji a reaction is made with, or taken back. An emoji that is no longer in use can be joined and taken back. */
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { accessEmoji, type Emoji } from "../emoji/which-emoji.ts";

export interface Wish {
  emoji_name?: string | undefined;
  emoji_code?: string | undefined;
  reaction_type?: string | undefined;
}

/** Who joins others calls the emoji what they called it. */
export async function emojiToAdd(
  tx: Tx,
  realmId: number,
  messageId: number,
  wish: Wish & { emoji_name: string },
): Promise<Emoji> {
  const { emoji_code, reaction_type } = wish;
  const isExact = emoji_code !== undefined && reaction_type !== undefined;
  const meant = isExact ? { emoji_code, reaction_type } : await accessEmoji(tx, realmId, wish);
  const joined = await tx
    .selectFrom("reactions")
    .select(["emoji_name", "emoji_code", "reaction_type"])
    .where("message_id", "=", messageId)
    .where("emoji_code", "=", withoutNul(meant.emoji_code))
    .where("reaction_type", "=", withoutNul(meant.reaction_type))
    .executeTakeFirst();
  return (joined as Emoji | undefined) ?? accessEmoji(tx, realmId, wish); // the database knows only these kinds
}

/** By its code, or by what one called it oneself, or by what it is called. */
export async function emojiToRemove(
  tx: Tx,
  user: User,
  messageId: number,
  { emoji_name, emoji_code, reaction_type }: Wish,
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

/** The database takes none, and no emoji has one. */
const withoutNul = (text: string): string => text.replaceAll("\0", "");
