/**
 * A change that is shown at once and asked for then; put back, and said so, when the server refuses.
 *
 * **Invariant:** what was done last stays on screen until the server has told of it. What comes meanwhile speaks of an
 * earlier state, often of the change before, and does not cover it up.
 */
import { batch } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { Refusal } from "../api/failures.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import { conversationKey, topicConversation } from "./conversations.ts";
import { applyEvents } from "./events.ts";

const kinds = ["update_message_flags", "reaction", "user_topic", "muted_users", "scheduled_messages"] as const;
type ChangeEvent = Extract<Event, { type: (typeof kinds)[number] }>;

interface Change {
  event: ChangeEvent;
  undo: ChangeEvent;
  request: () => Promise<unknown>;
}

/** One thing that is changed: by it, requests wait for each other, as the server may take the later of two first. */
interface Thing {
  answered: Promise<void>;
  /** The changes the server has not told of yet, in the order they were made. */
  untold: ChangeEvent[];
}

const things = new Map<string, Thing>();
/** What changed nothing for the server is never told of. */
const toldWithin = 5000;

export function change({ event, undo, request }: Change): void {
  const name = nameOf(event);
  const thing = things.get(name) ?? { answered: Promise.resolve(), untold: [] };
  things.set(name, thing);
  thing.untold.push(event);
  applyEvents([event]);
  const ask = async (): Promise<void> => {
    try {
      await request();
      setTimeout(() => strike(name, (each) => each === event), toldWithin);
    } catch (error) {
      strike(name, (each) => each === event);
      applyEvents([undo, ...thing.untold.slice(-1)]);
      toast(reasonOf(error), { kind: "danger" });
    }
  };
  thing.answered = thing.answered.then(ask);
}

/** Takes what the server tells, and shows what it has not told of yet on top. */
export function takeEvents(events: readonly Event[]): void {
  for (const event of events) if (isChange(event)) strike(nameOf(event), (each) => valueOf(each) === valueOf(event));
  batch(() => {
    applyEvents(events);
    showUntold();
  });
}

/** After all state was replaced. */
export function showUntold(): void {
  applyEvents([...things.values()].flatMap(({ untold }) => untold.slice(-1)));
}

/** The first like it: the server tells of changes in the order they were asked for. */
function strike(name: string, isMeant: (event: ChangeEvent) => boolean): void {
  const thing = things.get(name);
  const at = thing?.untold.findIndex(isMeant) ?? -1;
  if (!thing || at === -1) return;
  thing.untold.splice(at, 1);
  if (thing.untold.length === 0) things.delete(name);
}

const isChange = (event: Event): event is ChangeEvent => (kinds as readonly string[]).includes(event.type);

/** The same for whatever is said of one thing. */
function nameOf(event: ChangeEvent): string {
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
  }
}

/** What is said of it. */
function valueOf(event: ChangeEvent): unknown {
  switch (event.type) {
    case "user_topic":
      return event.visibility_policy;
    case "muted_users":
      return event.muted_users
        .map(({ id }) => id)
        .toSorted((a, b) => a - b)
        .join(" ");
    default:
      return event.op;
  }
}

/** What to tell people: the server's own words where it had any. */
export const reasonOf = (error: unknown): string => (error instanceof Refusal ? error.message : t("failure.noAnswer"));
