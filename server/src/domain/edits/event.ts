/** Telling of an edit: what a message says now, which messages stand elsewhere, and for whom they are gone. */
import type { PropagateMode } from "@skein/api/message-updates.ts";
import type { Context } from "../../context.ts";
import { emit } from "../../events/emit.ts";
import { toBatch } from "../../events/live-users.ts";
import { topicLinks } from "../../markdown/topic-links.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { contentReaders } from "../channels/content-readers.ts";
import { compiledLinkifiers } from "../linkifiers/compiled.ts";
import { emitDeletion } from "../messages/delete-event.ts";
import type { MessageInHand } from "../messages/in-hand.ts";
import { toTimestamp } from "../messages/object.ts";
import {
  flagsForUpdate,
  inPieces,
  withoutText,
  type LoggedUpdate,
  type Move as LoggedMove,
} from "../messages/update-event.ts";
import type { TextChange } from "./content.ts";
import type { Move, Occasion } from "./move.ts";

interface Change {
  text: TextChange | undefined;
  move: Move | undefined;
  propagateMode: PropagateMode;
}

export async function emitUpdate(
  tx: Tx,
  ctx: Context,
  { message, audience }: MessageInHand,
  { editor, editedAt }: Occasion,
  { text, move, propagateMode }: Change,
): Promise<void> {
  const { mentions_channel, ...shown } = text ?? { mentions_channel: message.mentions_channel };
  const { conversation_id: stream_id, channel_name: stream_name } = message;
  const base: LoggedUpdate = {
    type: "update_message",
    user_id: editor.id,
    rendering_only: false,
    message_id: message.id,
    message_ids: [message.id],
    edit_timestamp: toTimestamp(editedAt),
    ...(stream_name === null ? {} : { stream_id, stream_name }),
    ...shown,
    ...(await flagsForUpdate(tx, { id: message.id, mentions_channel })),
  };
  if (!move) {
    emit(tx, message.realm_id, audience, base);
    return;
  }
  const topics = { orig_subject: move.from.topic, ...(await newTopic(tx, ctx, editor.realm, move)) };
  await emitMove(tx, { ...base, propagate_mode: propagateMode, ...topics }, move);
}

async function newTopic(tx: Tx, ctx: Context, realm: Occasion["editor"]["realm"], { from, to }: Move) {
  if (from.topic === to.topic) return {};
  return { subject: to.topic, topic_links: topicLinks(to.topic, await compiledLinkifiers(ctx, tx, realm)) };
}

/** Many messages are told of in several events; the one with the message that was named comes first. */
async function emitMove(tx: Tx, event: LoggedUpdate, { from, to, taken: { messages } }: Move): Promise<void> {
  const { realm_id } = from.channel;
  const isElsewhere = from.channel.id !== to.channel.id;
  const readers = isElsewhere ? await contentReaders(tx, to.channel) : undefined;
  const move: LoggedMove = { messages, ...(readers ? { to: { channel: to.channel.id, ...readers } } : {}) };
  const audience = toBatch(messages);
  const newcomers = isElsewhere ? { channel: { id: to.channel.id, at: messages.at } } : {};
  for (const piece of inPieces(move, event.message_id)) {
    const { ids } = piece.messages;
    const others = { ...withoutText(event), message_id: ids[0], flags_of: [], flags_of_all: [] };
    emit(
      tx,
      realm_id,
      { ...audience, ...newcomers },
      {
        ...(ids.includes(event.message_id) ? event : others),
        type: event.type,
        ...(isElsewhere ? { new_stream_id: to.channel.id } : {}),
        message_ids: ids,
        move: piece,
      },
    );
  }
  if (isElsewhere) emitDeletion(tx, realm_id, audience, { id: from.channel.id, topic: from.topic }, move);
}
