/** What a response to a read of events says: which events, and which of them are messages. */
export interface Scanned {
  eventIds: number[];
  /** The message of each event; 0 for all other events. */
  messageIds: number[];
}

interface Event {
  id: number;
  type: string;
  message?: { id: number };
}

const remembered = 64;
const known = new Map<string, Scanned>();

/** Many readers get the same events, so the newest results are kept. */
export function scanEvents(text: string): Scanned {
  const end = text.lastIndexOf(',"queue_id":');
  const key = end < 0 ? text : text.slice(0, end);
  let scanned = known.get(key);
  if (!scanned) {
    const { events } = JSON.parse(text) as { events: Event[] }; // as declared
    scanned = {
      eventIds: events.map(({ id }) => id),
      messageIds: events.map(({ type, message }) => (type === "message" ? (message?.id ?? 0) : 0)),
    };
    if (known.size >= remembered) known.clear();
    known.set(key, scanned);
  }
  return scanned;
}
