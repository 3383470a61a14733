import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { toBatch, type MessageBatch } from "../../events/live-users.ts";
import { refreshFirstMessages } from "../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../channels/lock.ts";
import { emitDeletion, emitDirectDeletion } from "../messages/delete-event.ts";
import { accessMessageForChange, type MessageInHand } from "../messages/in-hand.ts";
import { accessDeletion } from "./access.ts";
import { removeMessages } from "./remove.ts";

export async function deleteMessage(tx: Tx, user: User, id: number): Promise<void> {
  const inHand = await accessMessageForChange(tx, user, id, (own, { conversation_id }) =>
    lockChannelsForSubscriptionChange(own, [conversation_id]),
  );
  const { message, audience, at } = inHand;
  await accessDeletion(tx, user, message);
  await removeMessages(tx, message.realm_id, [id]);
  if (message.topic === null) {
    emitDirectDeletion(tx, message.realm_id, audience, id);
    return;
  }
  const place = { id: message.conversation_id, topic: message.topic };
  const messages = alone(inHand);
  emitDeletion(tx, message.realm_id, toBatch(messages), place, { messages }, user.id);
  await refreshFirstMessages(tx, [message.conversation_id], at);
}

function alone({ message: { id }, audience }: MessageInHand): MessageBatch {
  if (!audience.message) throw new Error("who hears of a channel's message is a matter of the channel");
  const { channel, at, history, moved } = audience.message;
  return { channel, at, history, ids: [id], ...(moved ? { moved: [[id, moved.origin, moved.entered]] } : {}) };
}
