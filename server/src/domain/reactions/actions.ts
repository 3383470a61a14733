import type { Reaction } from "@skein/api/reactions.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { accessMessageForChange, type MessageInHand } from "../messages/in-hand.ts";
import { realmHost } from "../realm/address.ts";
import { makeVisibleToParticipant } from "../user-topics/on-participate.ts";
import { apiEmail } from "../users/email.ts";
import { emojiToAdd, emojiToRemove, type Wish } from "./which-reaction.ts";

export async function addReaction(
  tx: Tx,
  ctx: Context,
  user: User,
  messageId: number,
  wish: Wish & { emoji_name: string },
): Promise<void> {
  const inHand = await accessMessageForChange(tx, user, messageId);
  const emoji = await emojiToAdd(tx, user.realm_id, messageId, wish);
  const added = await tx
    .insertInto("reactions")
    .values({ ...emoji, realm_id: user.realm_id, message_id: messageId, user_id: user.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!added) throw new ApiError("Reaction already exists.", { code: "REACTION_ALREADY_EXISTS" });
  tell(tx, ctx, user, inHand, "add", emoji);
  await makeVisibleToParticipant(tx, user, inHand.message);
}

export async function removeReaction(tx: Tx, ctx: Context, user: User, messageId: number, wish: Wish): Promise<void> {
  const inHand = await accessMessageForChange(tx, user, messageId);
  const { emoji_code, reaction_type } = await emojiToRemove(tx, user, messageId, wish);
  const removed = await tx
    .deleteFrom("reactions")
    .where("message_id", "=", messageId)
    .where("user_id", "=", user.id)
    .where("emoji_code", "=", emoji_code)
    .where("reaction_type", "=", reaction_type)
    .returning("emoji_name")
    .executeTakeFirst();
  if (!removed) throw new ApiError("Reaction doesn't exist.", { code: "REACTION_DOES_NOT_EXIST" });
  // What the database holds is one of the kinds; see its check.
  const kind = reaction_type as Reaction["reaction_type"];
  tell(tx, ctx, user, inHand, "remove", { ...removed, emoji_code, reaction_type: kind });
}

function tell(
  tx: Tx,
  ctx: Context,
  user: User,
  { message, audience }: MessageInHand,
  op: "add" | "remove",
  { emoji_name, emoji_code, reaction_type }: Omit<Reaction, "user_id">,
): void {
  const email = apiEmail(user, realmHost(ctx.config, user.realm));
  emit(tx, message.realm_id, audience, {
    type: "reaction",
    op,
    message_id: message.id,
    emoji_name,
    emoji_code,
    reaction_type,
    user_id: user.id,
    user: { user_id: user.id, email, full_name: user.full_name },
  });
}
