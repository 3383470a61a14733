/** Messages that rows show beside what they list, such as the last one of a conversation. */
import { useEffect, useRef } from "preact/hooks";
import { fetchMessages } from "../store/lists.ts";
import { findMessage, release, retain } from "../store/messages.ts";
import { generation } from "../store/sync.ts";

/** Keeps messages while they are on screen, and loads missing ones in one request. Rows work without them. */
export function useMessages(ids: readonly number[]): void {
  const held = useRef<readonly number[]>([]);
  const fetchedIn = useRef(generation.value);
  const missing = ids.filter((id) => !findMessage(id));
  useEffect(() => {
    retain(ids);
    release(held.current);
    held.current = ids;
  }, [ids.join()]);
  useEffect(() => () => release(held.current), []);
  useEffect(() => {
    // After the queue was replaced, known ones may be outdated too.
    const wanted = generation.value === fetchedIn.current ? missing : ids;
    fetchedIn.current = generation.value;
    if (wanted.length > 0) fetchMessages([...wanted]).catch(() => undefined);
  }, [missing.join(), generation.value]);
}
