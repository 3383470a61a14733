/**
 * A queue is a cursor into the log: its user, the requested events, and where it begins. It holds no events; its
 * record is in the database, and any node can load it.
 */
import type { LiveUser } from "./live-users.ts";
import { isVisible, type Snapshot } from "./snapshot.ts";
import type { EventText, LogEvent } from "./log-entry.ts";

/** The registration's parameters that determine which events are delivered and in which format. */
export interface QueueOptions {
  /** null means all. */
  event_types: string[] | null;
  apply_markdown: boolean;
  client_gravatar: boolean;
  slim_presence: boolean;
  include_subscribers: boolean | "partial";
  all_public_streams: boolean;
  narrow: [string, string][];
  bulk_message_deletion: boolean;
  stream_typing_notifications: boolean;
  user_settings_object: boolean;
  user_list_incomplete: boolean;
  include_deactivated_groups: boolean;
  archived_channels: boolean;
  empty_topic_name: boolean;
  linkifier_url_template: boolean;
  notification_settings_null: boolean;
  user_avatar_url_field_optional: boolean;
  client_name: string;
  /** Missing in queues of the previous release. */
  simplified_presence_events?: boolean;
  /** The API key that registered the queue, which ends with it; missing in queues of the previous release. */
  api_key_id?: number;
}

export interface Queue {
  readonly id: string;
  readonly epoch: number;
  readonly user: LiveUser;
  /** Events up to this id precede the queue. */
  readonly firstEventId: number;
  readonly snapshot: Snapshot;
  readonly options: QueueOptions;
  readonly types: ReadonlySet<string> | undefined;
  readonly idleSeconds: number;
  lastActiveAt: number;
  /** When this was last recorded in the database. */
  savedAt: number;
  /** The newest event that the client has said it has. */
  acknowledged: number;
  waiting: WaitingRead | undefined;
  /** The newest request or stream that has waited for events. A new one takes the place of an older stream. */
  reader: object | undefined;
}

/** A request or a stream that is waiting for an event. */
export interface WaitingRead {
  /** The newest event that the client has been sent. */
  after: number;
  /** Ends the wait. To a stream this means: look what has changed. */
  readonly answer: (events: EventText[]) => void;
  readonly fail: (error: Error) => void;
  readonly heartbeatAt: number;
  /** For a stream, which goes on waiting: sends the events. False if it has to do something else before. */
  readonly send: ((events: EventText[]) => boolean) | undefined;
}

/** Turns an event into the version for one queue, or into nothing. Areas define them; the default is the event itself. */
export interface EventShape {
  /** Queues with the same key get the same text. */
  variant: (event: LogEvent["event"], queue: Queue) => string;
  shape: (event: LogEvent["event"], queue: Queue) => object | undefined;
}

export type EventShapes = ReadonlyMap<string, EventShape>;

/** Of an event that a variant does not get. */
const nothing: EventText = { id: 0, text: "" };

/** The event's text for this queue, including its id; undefined if the queue does not get it. Built once per variant. */
export function textFor(shapes: EventShapes, logEvent: LogEvent, queue: Queue): EventText | undefined {
  const { id, event } = logEvent;
  const shape = shapes.get(event.type);
  const key = shape ? shape.variant(event, queue) : "";
  const variants = (logEvent.variants ??= new Map());
  const known = variants.get(key);
  if (known !== undefined) return known === nothing ? undefined : known;
  const shaped = shape ? shape.shape(event, queue) : event;
  const text = shaped === undefined ? nothing : { id, text: JSON.stringify({ ...shaped, id }) };
  variants.set(key, text);
  return text === nothing ? undefined : text;
}

/** Whether the queue requested events of this type, and its initial state does not include this event. */
export const belongsToQueue = (queue: Queue, event: LogEvent): boolean =>
  event.id > queue.firstEventId &&
  (queue.types === undefined || queue.types.has(event.event.type)) &&
  (event.xid === undefined || !isVisible(queue.snapshot, event.xid));
