/** Conversations by their latest message, from the newest messages the reader received. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { conversationKey, conversationOf, type Conversation } from "../store/conversations.ts";
import { fetchPage, hold, openList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { isMutedPerson } from "../store/muted-people.ts";
import { newestRun } from "../store/runs.ts";
import { ownId } from "../store/state.ts";
import { generation } from "../store/sync.ts";

export interface RecentConversation {
  conversation: Conversation;
  key: string;
  lastId: number;
  /** Latest first. */
  senderIds: number[];
}

const pageSize = 400;

export const recentFailure = signal<unknown>(undefined);
const isLoading = signal(false);

const everything = () => openList([]);

export const recentConversations = computed((): readonly RecentConversation[] | undefined => {
  const run = newestRun(everything().runs.value);
  if (!run) return undefined;
  const found = new Map<string, RecentConversation>();
  for (const id of run.ids.toReversed()) {
    const message = findMessage(id)?.value;
    if (!message || isMutedPerson(message.sender_id)) continue;
    const conversation = conversationOf(message, ownId.value);
    const key = conversationKey(conversation);
    const known = found.get(key);
    if (!known) found.set(key, { conversation, key, lastId: id, senderIds: [message.sender_id] });
    else if (!known.senderIds.includes(message.sender_id)) known.senderIds.push(message.sender_id);
  }
  return [...found.values()];
});

export const hasMoreRecent = computed(() => newestRun(everything().runs.value)?.hasOldest === false);

/** While recent conversations are on screen: loads them, and reloads them when changes may have been missed. */
export function useRecent(): readonly RecentConversation[] | undefined {
  const recent = recentConversations.value;
  useEffect(() => hold(everything()), []);
  useEffect(() => {
    if (!recentConversations.peek() || everything().isStale) void loadRecent();
  }, [recent === undefined, generation.value]);
  return recent;
}

/** Loads the next page of older ones. */
export async function loadRecent(): Promise<void> {
  if (isLoading.peek()) return;
  isLoading.value = true;
  recentFailure.value = undefined;
  try {
    // If the queue was replaced in the meantime, this response is outdated.
    do {
      const { isStale, runs } = everything();
      const oldest = isStale ? undefined : newestRun(runs.peek())?.ids[0];
      await fetchPage(everything(), { anchor: oldest ?? "newest", before: pageSize, after: 0 });
    } while (everything().isStale);
  } catch (error) {
    recentFailure.value = error;
  } finally {
    isLoading.value = false;
  }
}
