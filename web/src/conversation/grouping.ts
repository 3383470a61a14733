/** Which lines appear above a message, depending on the message before it. */
import type { Message } from "../store/messages.ts";
import { isSameDay } from "../text/time.ts";

/** Messages of one sender this close together form one block. */
const togetherSeconds = 10 * 60;

export type Neighbour = Pick<Message, "sender_id" | "timestamp" | "stream_id" | "subject" | "recipient_id"> & {
  is_me_message: boolean;
};

export interface Lines {
  /** It starts a day. */
  day: boolean;
  /** It starts a group of another conversation. */
  conversation: boolean;
  /** Its sender's name is shown above it. */
  sender: boolean;
}

export function linesAbove(message: Neighbour, before: Neighbour | undefined, isMixed: boolean): Lines {
  if (!before) return { day: true, conversation: isMixed, sender: true };
  const day = !isSameDay(before.timestamp, message.timestamp);
  const conversation = isMixed && !isSamePlace(before, message);
  const sender =
    day ||
    conversation ||
    before.sender_id !== message.sender_id ||
    before.is_me_message ||
    message.is_me_message ||
    message.timestamp - before.timestamp > togetherSeconds;
  return { day, conversation: isMixed && (conversation || day), sender };
}

const isSamePlace = (a: Neighbour, b: Neighbour): boolean =>
  a.recipient_id === b.recipient_id && a.subject.toLowerCase() === b.subject.toLowerCase();
