/** Changes to a whole topic. */
import { updateMessage } from "@skein/api/routes/edits.ts";
import { call } from "../api/call.ts";
import { resolvedTopic } from "../text/names.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import { narrowOf, topicConversation, type TopicConversation } from "./conversations.ts";
import { fetchPage, openList } from "./lists.ts";
import { reasonOf } from "./reasons.ts";
import { newestRun } from "./runs.ts";
import { ownId } from "./state.ts";

/** Marks a topic as resolved or unresolved. */
export async function resolveTopicNow(topic: TopicConversation, isResolved: boolean): Promise<void> {
  const id = await newestIdOf(topic);
  if (id === undefined) return;
  await call(updateMessage, {
    message_id: id,
    topic: resolvedTopic(topic.topic, isResolved),
    propagate_mode: "change_all",
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: true,
  });
}

export function resolveTopic(topic: TopicConversation, isResolved: boolean): void {
  resolveTopicNow(topic, isResolved)
    .then(() => {
      const now = topicConversation(topic.channelId, resolvedTopic(topic.topic, isResolved));
      toast(t(isResolved ? "topic.nowResolved" : "topic.nowOpen"), { undo: () => resolveTopic(now, !isResolved) });
    })
    .catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
}

async function newestIdOf(topic: TopicConversation): Promise<number | undefined> {
  const list = openList(narrowOf(topic, ownId.peek()));
  const known = newestRun(list.runs.peek())?.ids.at(-1);
  return known ?? (await fetchPage(list, { anchor: "newest", before: 20, after: 0 })).ids.at(-1);
}
