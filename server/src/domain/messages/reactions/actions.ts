import type { Reaction } from "@skein/api/reactions.ts";
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessMessageForChange, type LockedMessage } from "../send/locked-message.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { makeVisibleToParticipant } from "../topic-following/on-participate.ts";
import { apiEmail } from "../../people/users/email.ts";
import { guestsNotSeeing } from "../../people/users/guest-view.ts";
import { emojiToAdd, emojiToRemove, type EmojiRequest } from "./which-reaction.ts";

export async function addReaction(
  tx: Tx,
  ctx: TxContext,
  user: User,
  messageId: number,
  request: EmojiRequest & { emoji_name: string },
): Promise<void> {
  const locked = await accessMessageForChange(tx, user, messageId);
  const emoji = await emojiToAdd(tx, user.realm_id, messageId, request);
  const added = await tx
    .insertInto("reactions")
    .values({ ...emoji, realm_id: user.realm_id, message_id: messageId, user_id: user.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!added) throw new ApiError("Reaction already exists.", { code: "REACTION_ALREADY_EXISTS" });
  await emitReaction(tx, ctx, user, locked, "add", emoji);
  await makeVisibleToParticipant(tx, user, locked.message);
}

export async function removeReaction(
  tx: Tx,
  ctx: TxContext,
  user: User,
  messageId: number,
  request: EmojiRequest,
): Promise<void> {
  const locked = await accessMessageForChange(tx, user, messageId);
  const { emoji_code, reaction_type } = await emojiToRemove(tx, user, messageId, request);
  const removed = await tx
    .deleteFrom("reactions")
    .where("message_id", "=", messageId)
    .where("user_id", "=", user.id)
    .where("emoji_code", "=", emoji_code)
    .where("reaction_type", "=", reaction_type)
    .returning("emoji_name")
    .executeTakeFirst();
  if (!removed) throw new ApiError("Reaction doesn't exist.", { code: "REACTION_DOES_NOT_EXIST" });
  // A check constraint of the database allows only these kinds.
  const kind = reaction_type as Reaction["reaction_type"];
  await emitReaction(tx, ctx, user, locked, "remove", { ...removed, emoji_code, reaction_type: kind });
}

async function emitReaction(
  tx: Tx,
  ctx: TxContext,
  user: User,
  { message, audience }: LockedMessage,
  op: "add" | "remove",
  { emoji_name, emoji_code, reaction_type }: Omit<Reaction, "user_id">,
): Promise<void> {
  const hidden_from = await listGuestsNotSeeing(tx, user, message);
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
    ...(hidden_from ? { hidden_from } : {}),
  });
}

async function listGuestsNotSeeing(tx: Tx, user: User, { conversation_id, topic }: LockedMessage["message"]) {
  if (topic === null) return null; // participants of a direct conversation can see each other
  const { rows } = await sql<{ ids: number[] | null }>`
    select ${guestsNotSeeing(user.realm_id, user, conversation_id)} as ids`.execute(tx);
  return rows[0]?.ids;
}
