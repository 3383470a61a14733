/** Emits the events of an edit: the new text, the messages that were moved, and the users for whom they are gone. */
import type { PropagateMode } from "@skein/api/message-updates.ts";
import type { TxContext } from "../../../context.ts";
import { emit } from "../../../events/emit.ts";
import { toBatch, type MessageBatch } from "../live-access.ts";
import type { CompiledLinkifier } from "../../../markdown/linkifier.ts";
import { topicLinks } from "../../../markdown/topic-links.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { contentReaders } from "../../channels/content-readers.ts";
import { compiledLinkifiers } from "../../organization/linkifiers/compiled.ts";
import { emitDeletion } from "../delete-event.ts";
import type { LockedMessage } from "../send/locked-message.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { flagsForUpdate, splitMove, withoutText, type LoggedUpdate, type Move as LoggedMove } from "../update-event.ts";
import type { TextChange } from "./content.ts";
import { showsEarlierTexts } from "./history.ts";
import type { Move, EditStamp } from "./move.ts";
import { bySpelling } from "./moved-messages.ts";

interface Change {
  text: TextChange | undefined;
  move: Move | undefined;
  propagateMode: PropagateMode;
}

export async function emitUpdate(
  tx: Tx,
  ctx: TxContext,
  { message, audience }: LockedMessage,
  { editor, editedAt }: EditStamp,
  { text, move, propagateMode }: Change,
): Promise<void> {
  const { mentions_channel, ...shown } = text
    ? visibleTextChange(text, editor.realm)
    : { mentions_channel: message.mentions_channel };
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
  const linkifiers = await compiledLinkifiers(ctx, tx, editor.realm);
  await emitMove(tx, { ...base, propagate_mode: propagateMode }, move, linkifiers);
}

/** An event must not reveal more than the message's history would. */
function visibleTextChange(
  text: TextChange,
  realm: EditStamp["editor"]["realm"],
): Partial<TextChange> & Pick<TextChange, "mentions_channel"> {
  if (showsEarlierTexts(realm)) return text;
  const { orig_content: _, orig_rendered_content: __, ...now } = text;
  return now;
}

/**
 * A large move takes several events, and so does one of messages that spell their topic differently: an event must not
 * reveal a spelling to users who can only read messages with another. The event with the message that the request names
 * comes first.
 */
async function emitMove(
  tx: Tx,
  event: LoggedUpdate,
  { from, to, selected, nameAfter }: Move,
  linkifiers: readonly CompiledLinkifier[],
): Promise<void> {
  const { realm_id } = from.channel;
  const isElsewhere = from.channel.id !== to.channel.id;
  const readers = isElsewhere ? await contentReaders(tx, to.channel) : undefined;
  const has = (batch: MessageBatch) => batch.ids.includes(event.message_id);
  const batches = [...bySpelling(selected)].toSorted(([, a], [, b]) => Number(has(b)) - Number(has(a)));
  for (const [topic, messages] of batches) {
    const after = nameAfter(topic);
    if (after === topic && !isElsewhere) continue;
    const topics = {
      orig_subject: topic,
      ...(after === topic ? {} : { subject: after, topic_links: topicLinks(after, linkifiers) }),
    };
    const move: LoggedMove = { messages, ...(readers ? { to: { channel: to.channel.id, ...readers } } : {}) };
    const audience = toBatch(messages);
    const newcomers = isElsewhere ? { channel: { id: to.channel.id, at: messages.at } } : {};
    for (const piece of splitMove(move, event.message_id)) {
      const { ids } = piece.messages;
      const others = { ...withoutText(event), message_id: ids[0], flags_of: [], flags_of_all: [] };
      emit(
        tx,
        realm_id,
        { ...audience, ...newcomers },
        {
          ...(ids.includes(event.message_id) ? event : others),
          ...topics,
          type: event.type,
          ...(isElsewhere ? { new_stream_id: to.channel.id } : {}),
          message_ids: ids,
          move: piece,
        },
      );
    }
    if (isElsewhere) emitDeletion(tx, realm_id, audience, { id: from.channel.id, topic }, move);
  }
}
