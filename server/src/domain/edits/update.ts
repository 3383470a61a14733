/** Changing a message: judged, written and told in one transaction; nobody else changes what it touches meanwhile. */
import type { ParamsOf, ReturnsOf } from "@skein/api/endpoint.ts";
import type { updateMessage as updateMessageEndpoint } from "@skein/api/edits.ts";
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { tellSoFar } from "../../events/emit.ts";
import { revoke } from "../../events/revoke.ts";
import type { RequestInfo } from "../../http/handle.ts";
import type { User } from "../../http/sessions.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { verifyAlertWords } from "../alert-words/remembered-words.ts";
import type { Channel } from "../channels/access.ts";
import { refreshFirstMessages } from "../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../channels/lock.ts";
import { compose, type Composed } from "../messages/compose.ts";
import { accessMessageForChange, type MessageInHand, type SeenMessage } from "../messages/in-hand.ts";
import { attachmentsAfterEdit } from "../uploads/claims.ts";
import { mergePolicies, tellRenamed } from "../user-topics/on-move.ts";
import { accessContent, accessMove } from "./access.ts";
import { changeText } from "./content.ts";
import { emitUpdate } from "./event.ts";
import { moveMessages, type Move, type Occasion } from "./move.ts";
import { takeMessages } from "./moved-messages.ts";
import { tellOfMove } from "./notices.ts";
import { nothingToChange, readWish, wishFor, type Wish } from "./wish.ts";

type Returns = ReturnsOf<typeof updateMessageEndpoint>;

export async function updateMessage(
  ctx: Context,
  user: User,
  params: ParamsOf<typeof updateMessageEndpoint>,
  { clientName, origin }: RequestInfo,
): Promise<Returns> {
  const wish = readWish(user.realm, params);
  const composed =
    wish.content === undefined
      ? undefined
      : await compose(ctx, ctx.db, user, { content: wish.content, clientName, origin });
  if (composed) await verifyAlertWords(ctx, user.realm_id, composed.alertWordVersion);
  const change = (tx: Tx) => changeMessage(tx, ctx, user, params.message_id, wish, composed);
  // A move to another channel may take messages out of somebody's reach.
  return wish.channelId === undefined
    ? transaction(ctx.db, "edit message", change)
    : revoke(ctx, "move messages", change);
}

async function changeMessage(
  tx: Tx,
  ctx: Context,
  user: User,
  id: number,
  wanted: Wish,
  composed: Composed | undefined,
): Promise<Returns> {
  const isMove = wanted.topic !== undefined || wanted.channelId !== undefined;
  const inHand = await (isMove
    ? accessMessageForChange(tx, user, id, lockForMove(user, wanted))
    : accessMessageForChange(tx, user, id));
  const { message } = inHand;
  const wish = wishFor(message, wanted);
  if (composed) await accessContent(tx, user, message);
  const occasion = { editor: user, editedAt: await clock(tx) };
  const move = await moveAsWished(tx, user, inHand, wish, occasion);
  if (!move && !composed) throw nothingToChange();
  const text = composed && (await changeText(tx, message, composed, occasion.editedAt));
  await emitUpdate(tx, ctx, inHand, occasion, { text, move, propagateMode: wish.propagateMode });
  if (move) await follow(tx, ctx, user, move, wish);
  const files = composed?.rendered.attachmentPathIds;
  return { detached_uploads: files ? await attachmentsAfterEdit(tx, user, id, files) : [] };
}

/**
 * Nothing is sent where messages leave or arrive, and nobody is subscribed. What a call names as the channel they go to is
 * any number until it is judged, and nobody locks what is not theirs to write to; it is judged again when it is locked.
 */
const lockForMove = (user: User, wanted: Wish) => async (tx: Tx, seen: SeenMessage) => {
  const wish = wishFor(seen, wanted);
  const target = wish.channelId === undefined ? undefined : await accessMove(tx, user, seen, wish);
  return lockChannelsForSubscriptionChange(tx, [seen.conversation_id, ...(target ? [target.id] : [])]);
};

/** When the locks are there: so the times of edits are in the order of edits. */
async function clock(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx);
  return rows[0]?.now ?? new Date();
}

async function moveAsWished(
  tx: Tx,
  user: User,
  { message, at }: MessageInHand,
  wish: Wish,
  occasion: Occasion,
): Promise<Move | undefined> {
  const { topic_id: topicId, topic } = message;
  if ((wish.topic === undefined && wish.channelId === undefined) || topicId === null || topic === null)
    return undefined;
  const elsewhere = await accessMove(tx, user, message, wish);
  const channel = await findChannel(tx, message.conversation_id);
  const taken = await takeMessages(tx, user, message, channel, wish, at);
  const from = { channel, topicId, topic };
  return moveMessages(tx, taken, from, { channel: elsewhere ?? channel, topic: wish.topic ?? topic }, occasion);
}

const findChannel = (tx: Tx, id: number): Promise<Channel> =>
  tx.selectFrom("channels").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** What follows from a move, once those concerned have been told of it. */
async function follow(tx: Tx, ctx: Context, user: User, move: Move, wish: Wish): Promise<void> {
  const { from, to, taken, isMerge } = move;
  const before = { id: from.topicId, name: from.topic, channel: from.channel };
  const after = { id: to.topicId, name: to.topic, channel: to.channel };
  if (from.topicId === to.topicId) await tellRenamed(tx, before, after);
  else if (taken.isWholeTopic) await mergePolicies(tx, before, after, isMerge);
  if (from.channel.id !== to.channel.id)
    await refreshFirstMessages(tx, [from.channel.id, to.channel.id], taken.messages.at);
  await tellSoFar(tx);
  await tellOfMove(tx, ctx, user, move, wish);
}
