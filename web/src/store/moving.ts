/** Moving messages to another topic or channel, and undoing that. */
import "../text/chunks/message-actions.ts";
import type { PropagateMode } from "@skein/api/message-updates.ts";
import { updateMessage } from "@skein/api/routes/edits.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import { topicConversation, type TopicConversation } from "./conversations.ts";
import { onEvent } from "./events.ts";
import type { Message } from "./messages.ts";
import { reasonOf } from "./reasons.ts";
import { topicsOf } from "./topics.ts";

export interface Move {
  message: Message;
  mode: PropagateMode;
  to: TopicConversation;
  notices: { old: boolean; new: boolean };
}

/** Up to this many messages are moved back one by one; more only as a whole topic. */
const maxOneByOne = 50;

/** Throws refusals; the caller shows them. */
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
    // The event may arrive slightly after the response.
    setTimeout(stop, maxWait);
  }
  toast(t("move.done"), { undo: () => void moveBack({ from, to, mode, isMerge, moved, firstId: message.id }) });
}

const maxWait = 5000;

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

interface CompletedMove {
  from: TopicConversation;
  to: TopicConversation;
  mode: PropagateMode;
  /** The target topic existed before, so its own messages must stay there. */
  isMerge: boolean;
  moved: readonly number[];
  firstId: number;
}

async function moveBack({ from, to, mode, isMerge, moved, firstId }: CompletedMove): Promise<void> {
  const silently = { old: false, new: false };
  try {
    if (!isMerge && mode !== "change_one") await request(firstId, "change_all", to, from, silently);
    else if (moved.length > maxOneByOne) toast(t("move.tooMany"), { kind: "danger" });
    else for (const id of moved) await request(id, "change_one", to, from, silently);
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}
