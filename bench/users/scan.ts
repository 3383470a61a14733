/** What a response to a read of events says: which events, and which of them are messages. */
export interface Scanned {
  eventIds: number[];
  types: string[];
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
      types: events.map(({ type }) => type),
      messageIds: events.map(({ type, message }) => (type === "message" ? (message?.id ?? 0) : 0)),
    };
    if (known.size >= remembered) known.clear();
    known.set(key, scanned);
  }
  return scanned;
}

/** A frame of a stream. */
interface Frame {
  /** 0 if it has no position. */
  eventId: number;
  /** Undefined if it is no event. */
  type: string | undefined;
  /** 0 for all events but messages. */
  messageId: number;
  /** Why the stream ended for good. */
  error: string | undefined;
}

const framesRemembered = 1024;
const knownFrames = new Map<string, Frame>();

/** The newest results are kept, as for responses. */
export function scanFrame(text: string): Frame {
  let frame = knownFrames.get(text);
  if (!frame) {
    const id = /^id: (\d+)$/m.exec(text)?.[1];
    const data = /^data: (.*)$/m.exec(text)?.[1];
    const isEvent = id !== undefined && data !== undefined;
    const { type, message }: Partial<Event> = isEvent ? (JSON.parse(data) as Event) : {}; // as declared
    frame = {
      eventId: Number(id ?? 0),
      type,
      messageId: type === "message" ? (message?.id ?? 0) : 0,
      error: text.startsWith("event: error") ? (data ?? "") : undefined,
    };
    if (knownFrames.size >= framesRemembered) knownFrames.clear();
    knownFrames.set(text, frame);
  }
  return frame;
}
