/**
 * The changes the user made that the server has not confirmed yet. The server's state is changed only by its events; what
 * is shown is that state with the expected events of these operations applied on top, oldest first. So a refused operation
 * is simply taken away, and nothing has to be undone.
 *
 * An operation ends when the server refuses it, or when its event arrives (before or after the response), or after its
 * response when the queue is known to be past its event: a change that made no difference never gets one.
 */
import { computed, signal } from "@preact/signals";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";

type Part = keyof FollowedState;

/** What users change ahead of the server, and the parts of the state on which the result depends; undefined if on many. */
export const partsUsed = {
  update_message_flags: ["unread_msgs", "starred_messages", "subscriptions", "user_topics"],
  update_message: ["unread_msgs", "subscriptions", "user_topics"],
  user_topic: ["unread_msgs", "subscriptions", "user_topics"],
  muted_users: ["muted_users"],
  scheduled_messages: ["scheduled_messages"],
  user_settings: ["user_settings"],
  realm_user_settings_defaults: ["realm_user_settings_defaults"],
  subscription: undefined,
  user_group: undefined,
  realm: undefined,
  stream: undefined,
  default_streams: ["realm_default_streams"],
  channel_folder: ["channel_folders"],
  navigation_view: ["navigation_views"],
  onboarding_steps: ["onboarding_steps"],
  realm_domains: ["realm_domains"],
  realm_linkifiers: ["realm_linkifiers"],
  custom_profile_fields: ["custom_profile_fields", "realm_users", "realm_non_active_users"],
  reaction: [],
  submessage: [],
} as const satisfies Partial<Record<Event["type"], readonly Part[] | undefined>>;

export type PendingEvent = Extract<Event, { type: keyof typeof partsUsed }>;

export interface Change {
  /** Requests with the same key are serialized, because the server may process the later of two first. */
  readonly key: string;
  /** What the server is expected to emit. What is confirmed of it is taken away. */
  readonly event: PendingEvent;
  /** For an event that replaces a whole list: the event for this state, which other operations may have changed. */
  readonly eventFor?: (state: FollowedState) => PendingEvent;
  /** Whether an event is the expected one, where comparing the two does not tell. */
  readonly isConfirmedBy?: (event: Event) => boolean;
}

export interface Operation extends Change {
  readonly id: number;
  /** Called once, when the operation is no longer pending; with the error if it failed. */
  readonly onEnd: (error?: unknown) => void;
  /** How far the request has come. */
  readonly request: {
    isSent: boolean;
    /** When the server's success response arrived. */
    acceptedAt: number | undefined;
  };
}

/** Oldest first. Changed by events.ts only. */
export const pending = signal<readonly Operation[]>([]);

/** An accepted operation's event arrives within this time, or not at all. */
export const eventTimeout = 5000;

/** The operations that are left after an event. */
export function confirm(operations: readonly Operation[], event: Event): readonly Operation[] {
  const confirmed = operations.find((each) => each.request.isSent && isConfirmed(each, event));
  if (!confirmed) return operations;
  const at = operations.indexOf(confirmed);
  const rest = remainder(confirmed.event, event);
  return operations.flatMap((each, index) => {
    if (each === confirmed) return rest ? [{ ...each, event: rest }] : [];
    // Requests with one key are processed in order, so the queue is past the events of earlier ones.
    const isPassed = index < at && each.key === confirmed.key && each.request.acceptedAt !== undefined;
    return isPassed ? [] : [each];
  });
}

/** The operations that are left when the queue is known to be past the events of those accepted before this time. */
export const notPassed = (operations: readonly Operation[], time: number): readonly Operation[] =>
  operations.some(({ request }) => isBefore(request.acceptedAt, time))
    ? operations.filter(({ request }) => !isBefore(request.acceptedAt, time))
    : operations;

const isBefore = (at: number | undefined, time: number): boolean => at !== undefined && at < time;

function isConfirmed({ event: expected, isConfirmedBy }: Operation, event: Event): boolean {
  if (isConfirmedBy) return isConfirmedBy(event);
  switch (event.type) {
    case "update_message_flags":
      return (
        expected.type === event.type &&
        expected.flag === event.flag &&
        expected.op === event.op &&
        (event.all || expected.messages.some((id) => event.messages.includes(id)))
      );
    case "reaction":
      return (
        expected.type === event.type &&
        expected.op === event.op &&
        expected.message_id === event.message_id &&
        expected.user_id === event.user_id &&
        expected.reaction_type === event.reaction_type &&
        expected.emoji_code === event.emoji_code
      );
    case "submessage":
      return (
        expected.type === event.type &&
        expected.message_id === event.message_id &&
        expected.sender_id === event.sender_id &&
        expected.content === event.content
      );
    case "user_topic":
      return (
        expected.type === event.type &&
        expected.stream_id === event.stream_id &&
        expected.topic_name.toLowerCase() === event.topic_name.toLowerCase() &&
        expected.visibility_policy === event.visibility_policy
      );
    case "scheduled_messages":
      return (
        expected.type === event.type &&
        expected.op === "remove" &&
        event.op === "remove" &&
        expected.scheduled_message_id === event.scheduled_message_id
      );
    case "user_settings":
    case "realm_user_settings_defaults":
      return expected.type === event.type && expected.property === event.property && expected.value === event.value;
    default:
      return false;
  }
}

/** What is left of an expected event. Of many messages, an event may name some. */
function remainder(expected: PendingEvent, event: Event): PendingEvent | undefined {
  if (expected.type !== "update_message_flags" || event.type !== "update_message_flags" || event.all) return undefined;
  const named = new Set(event.messages);
  const messages = expected.messages.filter((id) => !named.has(id));
  return messages.length === 0 ? undefined : withMessages(expected, messages);
}

type FlagEvent = Extract<Event, { type: "update_message_flags" }>;

function withMessages(event: FlagEvent, messages: number[]): FlagEvent {
  if (event.op === "add" || !event.message_details) return { ...event, messages };
  const left = new Set(messages.map(String));
  const details = Object.entries(event.message_details).filter(([id]) => left.has(id));
  return { ...event, messages, message_details: Object.fromEntries(details) };
}

/** What an operation made of a state, kept so that a change elsewhere in the state does not repeat it. */
interface Layer {
  event: PendingEvent;
  before: FollowedState;
  after: FollowedState;
}
const layers = new WeakMap<Operation["request"], Layer>();

/** The state with all operations applied on top. */
export const withPending = (state: FollowedState, operations: readonly Operation[]): FollowedState =>
  operations.reduce(withOperation, state);

function withOperation(state: FollowedState, { event: fixed, eventFor, request }: Operation): FollowedState {
  const known = layers.get(request);
  const parts: readonly Part[] | undefined = partsUsed[fixed.type];
  const isKnown = known?.event === fixed && parts?.every((part) => known.before[part] === state[part]) === true;
  const after = isKnown ? withParts(state, known, parts) : applyEvent(state, eventFor?.(state) ?? fixed);
  layers.set(request, { event: fixed, before: state, after });
  return after;
}

/** The same change made to another state with the same parts. */
function withParts(state: FollowedState, { before, after }: Layer, parts: readonly Part[]): FollowedState {
  if (before === state) return after;
  const changed = parts.filter((part) => after[part] !== before[part]);
  return changed.length === 0 ? state : { ...state, ...Object.fromEntries(changed.map((part) => [part, after[part]])) };
}

const byMessage = computed((): ReadonlyMap<number, readonly PendingEvent[]> => {
  const events = new Map<number, PendingEvent[]>();
  for (const { event } of pending.value) {
    for (const id of messagesOf(event)) {
      const known = events.get(id);
      if (known) known.push(event);
      else events.set(id, [event]);
    }
  }
  return events;
});

const none: readonly PendingEvent[] = [];

/** The expected events that change a message, oldest first. */
export const pendingOn = (messageId: number): readonly PendingEvent[] => byMessage.peek().get(messageId) ?? none;

/** The messages that an expected event changes. The new text of a message is not rendered yet, and shown by edits.ts. */
export function messagesOf(event: PendingEvent): readonly number[] {
  switch (event.type) {
    case "update_message_flags":
      return event.messages;
    case "reaction":
    case "submessage":
      return [event.message_id];
    default:
      return [];
  }
}
