/** Moving messages to another topic or channel, and back. */
import type { PropagateMode } from "@skein/api/message-updates.ts";
import { updateMessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import { topicConversation, type TopicConversation } from "./conversations.ts";
import { onEvent } from "./events.ts";
import type { Message } from "./messages.ts";
import { reasonOf } from "./optimistic.ts";
import { topicsOf } from "./topics.ts";

export interface Move {
  message: Message;
  mode: PropagateMode;
  to: TopicConversation;
  notices: { old: boolean; new: boolean };
}

/** So many go back one by one; more than that only as a whole. */
const mostOneByOne = 50;

/** Refusals are thrown: the one who asked shows them. */
export async function move({ message, mode, to, notices }: Move): Promise<void> {
  const from = topicConversation(message.stream_id ?? 0, message.subject);
  const isMerge = await exists(to);
  let moved: readonly number[] = [message.id];
  const stop = onEvent((event) => {
    if (event.type === "update_message" && event.message_id === message.id && event.orig_subject !== undefined)
      moved = event.message_ids;
  });
  try {
    await request(message.id, mode, from, to, notices);
  } finally {
    // The event may come a little later than the answer.
    setTimeout(stop, longestWait);
  }
  toast(t("move.done"), { undo: () => void moveBack({ from, to, mode, isMerge, moved, firstId: message.id }) });
}

const longestWait = 5000;

const exists = async ({ channelId, topic }: TopicConversation): Promise<boolean> =>
  (await topicsOf(channelId)).some(({ name }) => name.toLowerCase() === topic.toLowerCase());

async function request(
  messageId: number,
  mode: PropagateMode,
  from: TopicConversation,
  to: TopicConversation,
  notices: { old: boolean; new: boolean },
): Promise<void> {
  await call(updateMessage, {
    message_id: messageId,
    propagate_mode: mode,
    ...(to.topic === from.topic ? {} : { topic: to.topic }),
    ...(to.channelId === from.channelId ? {} : { stream_id: to.channelId }),
    send_notification_to_old_thread: notices.old,
    send_notification_to_new_thread: notices.new,
  });
}

interface Done {
  from: TopicConversation;
  to: TopicConversation;
  mode: PropagateMode;
  /** The topic was there already: what it had stays in it. */
  isMerge: boolean;
  moved: readonly number[];
  firstId: number;
}

async function moveBack({ from, to, mode, isMerge, moved, firstId }: Done): Promise<void> {
  const silently = { old: false, new: false };
  try {
    if (!isMerge && mode !== "change_one") await request(firstId, "change_all", to, from, silently);
    else if (moved.length > mostOneByOne) toast(t("move.tooMany"), { kind: "danger" });
    else for (const id of moved) await request(id, "change_one", to, from, silently);
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}
