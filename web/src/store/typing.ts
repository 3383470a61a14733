/** Who is typing where. A notification expires when it is not repeated. */
import { signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { conversationKey, directConversation, topicConversation, type Conversation } from "./conversations.ts";
import { isMutedPerson } from "./muted-people.ts";
import { ownId, part } from "./state.ts";

const writing = signal<ReadonlyMap<string, readonly number[]>>(new Map());
const timers = new Map<string, ReturnType<typeof setTimeout>>();

export const writersIn = (conversation: Conversation): readonly number[] =>
  (writing.value.get(conversationKey(conversation)) ?? []).filter((id) => !isMutedPerson(id));

export function applyToTyping(event: Event): void {
  if (event.type === "message") {
    // The message being typed has arrived.
    const { message } = event;
    for (const key of writing.peek().keys()) set(key, message.sender_id, false);
    return;
  }
  if (event.type !== "typing" || event.sender.user_id === ownId.peek()) return;
  const conversation =
    event.stream_id === undefined
      ? directConversation(
          (event.recipients ?? []).map(({ user_id }) => user_id),
          ownId.peek(),
        )
      : topicConversation(event.stream_id, event.topic ?? "");
  set(conversationKey(conversation), event.sender.user_id, event.op === "start");
}

function set(key: string, userId: number, isWriting: boolean): void {
  const timer = `${key} ${userId}`;
  clearTimeout(timers.get(timer));
  timers.delete(timer);
  if (isWriting) {
    const expiry = part("server_typing_started_expiry_period_milliseconds").peek() ?? 45_000;
    timers.set(
      timer,
      setTimeout(() => set(key, userId, false), expiry),
    );
  }
  const known = writing.peek().get(key) ?? [];
  if (known.includes(userId) === isWriting) return;
  const next = new Map(writing.peek());
  const others = known.filter((id) => id !== userId);
  if (isWriting) next.set(key, [...others, userId]);
  else if (others.length > 0) next.set(key, others);
  else next.delete(key);
  writing.value = next;
}
