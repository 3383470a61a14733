import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toBatch, type MessageBatch } from "../live-access.ts";
import { refreshFirstMessages } from "../../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { emitDeletion, emitDirectDeletion } from "../delete-event.ts";
import { accessMessageForChange, type LockedMessage } from "../send/locked-message.ts";
import { accessDeletion } from "./access.ts";
import { removeMessages } from "./remove.ts";

/** Returns who had sent it. */
export async function deleteMessage(tx: Tx, user: User, id: number): Promise<number> {
  const locked = await accessMessageForChange(tx, user, id, (own, { conversation_id }) =>
    lockChannelsForSubscriptionChange(own, [conversation_id]),
  );
  const { message, audience, at } = locked;
  await accessDeletion(tx, user, message);
  await removeMessages(tx, message.realm_id, [id]);
  if (message.topic === null) {
    emitDirectDeletion(tx, message.realm_id, audience, id);
    return message.sender_id;
  }
  const place = { id: message.conversation_id, topic: message.topic };
  const messages = toBatchOfOne(locked);
  emitDeletion(tx, message.realm_id, toBatch(messages), place, { messages }, user.id);
  await refreshFirstMessages(tx, [message.conversation_id], at);
  return message.sender_id;
}

function toBatchOfOne({ message: { id }, audience }: LockedMessage): MessageBatch {
  if (!audience.message) throw new Error("unreachable: a channel message has a channel audience");
  const { channel, at, history, moved } = audience.message;
  return { channel, at, history, ids: [id], ...(moved ? { moved: [[id, moved.origin, moved.entered]] } : {}) };
}
