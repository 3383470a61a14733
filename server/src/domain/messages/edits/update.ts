/**
 * Editing or moving a message: checked, written and emitted in one transaction, while everything it touches is locked.
 */
import type { ParamsOf, ReturnsOf } from "@skein/api/endpoint.ts";
import type { updateMessage as updateMessageEndpoint } from "@skein/api/edits.ts";
import { sql } from "kysely";
import type { Context, TxContext } from "../../../context.ts";
import { flushEvents } from "../../../events/emit.ts";
import { revoke } from "../../../events/revoke.ts";
import type { RequestInfo } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { verifyAlertWords } from "../alert-words/cached-words.ts";
import type { Channel } from "../../channels/access.ts";
import { refreshFirstMessages } from "../../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { compose, type Composed } from "../send/compose.ts";
import { accessMessageForChange, type LockedMessage, type SeenMessage } from "../send/locked-message.ts";
import { attachmentsAfterEdit } from "../uploads/claims.ts";
import { mergePolicies, emitRenamedTopic } from "../../channels/user-topics/on-move.ts";
import { accessContent, accessMove, accessTargetTopic } from "./access.ts";
import { changeText } from "./content.ts";
import { emitUpdate } from "./event.ts";
import { moveMessages, type Move, type EditStamp } from "./move.ts";
import { selectMessages } from "./moved-messages.ts";
import { sendMoveNotices } from "./notices.ts";
import {
  demandExpected,
  nothingToChange,
  readEditRequest,
  remainingChanges,
  type EditRequest,
} from "./edit-request.ts";

type Returns = ReturnsOf<typeof updateMessageEndpoint>;

export async function updateMessage(
  ctx: Context,
  user: User,
  params: ParamsOf<typeof updateMessageEndpoint>,
  { clientName, origin }: RequestInfo,
): Promise<Returns> {
  const request = readEditRequest(params);
  const composed =
    request.content === undefined
      ? undefined
      : await compose(ctx, ctx.db, user, { content: request.content, clientName, origin });
  if (composed) await verifyAlertWords(ctx, user.realm_id, composed.alertWordVersion);
  const change = (tx: Tx) => changeMessage(tx, ctx, user, params.message_id, request, composed);
  // A move to another channel may take away somebody's access.
  return request.channelId === undefined
    ? transaction(ctx.db, "edit message", change)
    : revoke(ctx, "move messages", change);
}

async function changeMessage(
  tx: Tx,
  ctx: TxContext,
  user: User,
  id: number,
  requested: EditRequest,
  composed: Composed | undefined,
): Promise<Returns> {
  const isMove = requested.topic !== undefined || requested.channelId !== undefined;
  const locked = await (isMove
    ? accessMessageForChange(tx, user, id, lockForMove(user, requested))
    : accessMessageForChange(tx, user, id));
  const { message } = locked;
  demandExpected(message, requested);
  const request = remainingChanges(message, requested);
  if (composed) await accessContent(tx, user, message);
  const stamp = { editor: user, editedAt: await clock(tx) };
  const move = await applyMove(tx, ctx, user, locked, request, stamp);
  if (!move && !composed) throw nothingToChange();
  const text = composed && (await changeText(tx, message, composed, stamp.editedAt));
  await emitUpdate(tx, ctx, locked, stamp, { text, move, propagateMode: request.propagateMode });
  if (move) await follow(tx, ctx, user, move, request);
  const files = composed?.rendered.attachmentPathIds;
  return { detached_uploads: files ? await attachmentsAfterEdit(tx, user, id, files) : [] };
}

/**
 * While messages move, nobody can send to either channel or be subscribed. The channel id in the request can be any
 * number until it is checked, and a user must not lock a channel they cannot post to, so the check comes before the
 * lock and is repeated once it is held.
 */
const lockForMove = (user: User, requested: EditRequest) => async (tx: Tx, seen: SeenMessage) => {
  const request = remainingChanges(seen, requested);
  const target = request.channelId === undefined ? undefined : await accessMove(tx, user, seen, request);
  return lockChannelsForSubscriptionChange(tx, [seen.conversation_id, ...(target ? [target.id] : [])]);
};

/** Read once the locks are held, so that the times of edits are in the order of the edits. */
async function clock(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx);
  return rows[0]?.now ?? new Date();
}

async function applyMove(
  tx: Tx,
  ctx: TxContext,
  user: User,
  { message, at }: LockedMessage,
  request: EditRequest,
  stamp: EditStamp,
): Promise<Move | undefined> {
  const { topic_id: topicId, topic } = message;
  if ((request.topic === undefined && request.channelId === undefined) || topicId === null || topic === null)
    return undefined;
  const elsewhere = await accessMove(tx, user, message, request);
  const channel = await findChannel(tx, message.conversation_id);
  await accessTargetTopic(tx, user, message, elsewhere ?? channel, request);
  const selected = await selectMessages(tx, user, message, channel, request, at);
  const from = { channel, topicId, topic };
  const to = { channel: elsewhere ?? channel, topic: request.topic };
  return moveMessages(tx, message, selected, from, to, stamp, ctx.config.maxMovedMessages);
}

const findChannel = (tx: Tx, id: number): Promise<Channel> =>
  tx.selectFrom("channels").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** What follows a move once its event has been emitted. */
async function follow(tx: Tx, ctx: TxContext, user: User, move: Move, request: EditRequest): Promise<void> {
  const { from, to, selected, isRename } = move;
  const before = { id: from.topicId, name: selected.topic, channel: from.channel };
  const after = { id: to.topicId, name: to.topic, channel: to.channel };
  if (isRename) await emitRenamedTopic(tx, before, after);
  else if (selected.isAllTheySee && from.topicId !== to.topicId) await mergePolicies(tx, before, after, move);
  if (from.channel.id !== to.channel.id)
    await refreshFirstMessages(tx, [from.channel.id, to.channel.id], selected.messages.at);
  await flushEvents(tx);
  await sendMoveNotices(tx, ctx, user, move, request);
}
