/** Loads the last messages of a list of topics in one request. */
import { useEffect } from "preact/hooks";
import { fetchMessages } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import type { Topic } from "../store/topics.ts";

const most = 100;

export function useLastMessages(topics: readonly Topic[]): void {
  const missing = topics
    .slice(0, most)
    .map(({ max_id }) => max_id)
    .filter((id) => !findMessage(id));
  useEffect(() => {
    // A row works without its last message.
    if (missing.length > 0) fetchMessages(missing).catch(() => undefined);
  }, [missing.join()]);
}
