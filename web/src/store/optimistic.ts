/**
 * Optimistic changes: shown at once, then requested; reverted with a notice when the server refuses.
 *
 * **Invariant:** the last change stays on screen until its event arrives. Events in between describe an earlier state, often
 * the previous change, and do not override it.
 */
import { batch } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { Refusal } from "@skein/api/failures.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import { conversationKey, topicConversation } from "./conversations.ts";
import { applyEvents } from "./events.ts";

const kinds = [
  "update_message_flags",
  "reaction",
  "user_topic",
  "muted_users",
  "scheduled_messages",
  "user_settings",
] as const;
type ChangeEvent = Extract<Event, { type: (typeof kinds)[number] }>;

interface Change {
  event: ChangeEvent;
  undo: ChangeEvent;
  request: () => Promise<unknown>;
}

/** One thing that can change. Requests about it are serialized, because the server may process the later of two first. */
interface Target {
  settled: Promise<void>;
  /** Changes whose events have not arrived yet, oldest first. */
  pending: ChangeEvent[];
}

const targets = new Map<string, Target>();
/** A change that made no difference on the server never gets an event. */
const eventTimeout = 5000;

export function change({ event, undo, request }: Change): void {
  const key = keyOf(event);
  const target = targets.get(key) ?? { settled: Promise.resolve(), pending: [] };
  targets.set(key, target);
  target.pending.push(event);
  applyEvents([event]);
  const send = async (): Promise<void> => {
    try {
      await request();
      setTimeout(() => removePending(key, (each) => each === event), eventTimeout);
    } catch (error) {
      removePending(key, (each) => each === event);
      applyEvents([undo, ...target.pending.slice(-1)]);
      toast(reasonOf(error), { kind: "danger" });
    }
  };
  target.settled = target.settled.then(send);
}

/**
 * Applies events, then reapplies the changes still pending on top. Returns whether everything could be applied.
 */
export function receiveEvents(events: readonly Event[]): boolean {
  for (const event of events)
    if (isChange(event)) removePending(keyOf(event), (each) => valueOf(each) === valueOf(event));
  let isExact = false;
  try {
    batch(() => {
      isExact = applyEvents(events);
      reapplyPending();
    });
  } catch (error) {
    // An effect of the changed state threw.
    reportError(error);
    return false;
  }
  return isExact;
}

/** Reapplies pending changes after all state was replaced. */
export function reapplyPending(): void {
  applyEvents([...targets.values()].flatMap(({ pending }) => pending.slice(-1)));
}

/** The first equal one: events arrive in the order of the requests. */
function removePending(key: string, isMatch: (event: ChangeEvent) => boolean): void {
  const target = targets.get(key);
  const at = target?.pending.findIndex(isMatch) ?? -1;
  if (!target || at === -1) return;
  target.pending.splice(at, 1);
  if (target.pending.length === 0) targets.delete(key);
}

const isChange = (event: Event): event is ChangeEvent => (kinds as readonly string[]).includes(event.type);

/** The same key for all changes of one thing. */
function keyOf(event: ChangeEvent): string {
  switch (event.type) {
    case "update_message_flags":
      return [event.type, event.flag, ...event.messages].join(" ");
    case "reaction":
      return [event.type, event.message_id, event.user_id, event.reaction_type, event.emoji_code].join(" ");
    case "user_topic":
      return [event.type, conversationKey(topicConversation(event.stream_id, event.topic_name))].join(" ");
    case "muted_users":
      return event.type;
    case "scheduled_messages":
      return [event.type, event.op === "remove" ? event.scheduled_message_id : event.op].join(" ");
    case "user_settings":
      return [event.type, event.property].join(" ");
  }
}

/** The value a change sets. */
function valueOf(event: ChangeEvent): unknown {
  switch (event.type) {
    case "user_topic":
      return event.visibility_policy;
    case "muted_users":
      return event.muted_users
        .map(({ id }) => id)
        .toSorted((a, b) => a - b)
        .join(" ");
    case "user_settings":
      return event.value;
    default:
      return event.op;
  }
}

/** What to show the user: the server's own error message if there is one. */
export const reasonOf = (error: unknown): string => (error instanceof Refusal ? error.message : t("failure.noAnswer"));
