/** Messages that rows show beside what they list, such as the last one of a conversation. */
import { useEffect, useRef } from "preact/hooks";
import { fetchMessages } from "../store/lists.ts";
import { findMessage, release, retain } from "../store/messages.ts";
import { generation } from "../store/sync.ts";

/** Keeps messages while they are on screen, and loads missing ones in one request. Rows work without them. */
export function useMessages(ids: readonly number[]): void {
  const held = useRef<readonly number[]>([]);
  const fetchedIn = useRef(generation.value);
  const inFlight = useRef(new Set<number>());
  const missing = ids.filter((id) => !findMessage(id));
  useEffect(() => {
    retain(ids);
    release(held.current);
    held.current = ids;
  }, [ids.join()]);
  useEffect(() => () => release(held.current), []);
  useEffect(() => {
    // After the queue was replaced, known ones may be outdated too.
    const isSame = generation.value === fetchedIn.current;
    const wanted = isSame ? missing.filter((id) => !inFlight.current.has(id)) : [...ids];
    fetchedIn.current = generation.value;
    if (wanted.length === 0) return;
    for (const id of wanted) inFlight.current.add(id);
    void fetchMessages(wanted)
      .catch(() => undefined)
      .finally(() => {
        for (const id of wanted) inFlight.current.delete(id);
      });
  }, [missing.join(), generation.value]);
}
