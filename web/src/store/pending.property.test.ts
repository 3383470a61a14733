/**
 * Whatever the order in which changes, events, responses, refusals and new queues follow each other: the client ends with
 * exactly the server's state, and until then shows the user's last change.
 *
 * `HISTORIES=200000 npx vitest run --project web web/src/store/pending.property.test.ts` tries more histories.
 */
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyEvents, applyRegistration } from "./events.ts";
import { addMessages, findMessage, type Message } from "./messages.ts";
import { perform } from "./operations.ts";
import { eventTimeout, pending, type Change } from "./pending.ts";
import { part } from "./state.ts";

const histories = Number(process.env["HISTORIES"] ?? 5000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const me = 5;
const messageIds = [1, 2, 3];
const people = [7, 8];
const hints = ["first", "second"];

const firstState = (): FollowedState => ({
  user_id: me,
  max_message_id: 3,
  subscriptions: [],
  starred_messages: [2],
  unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false },
  user_topics: [],
  muted_users: [],
  user_settings: { enter_sends: false } as NonNullable<FollowedState["user_settings"]>, // the field in use
  onboarding_steps: hints.map((name) => ({ type: "one_time_notice", name })),
});

const firstMessages = (): Map<number, Message> =>
  new Map(
    messageIds.map((id) => [
      id,
      {
        id,
        stream_id: 1,
        subject: "t",
        flags: id === 2 ? ["read", "starred"] : ["read"],
        reactions: [],
        submessages: [],
      },
    ]) as unknown as [number, Message][], // the fields in use
  );

/** One thing that the user, and other clients of the same user, can set. */
type Thing =
  | { kind: "star"; id: number; value: boolean }
  | { kind: "read"; ids: number[]; value: boolean }
  | { kind: "reaction"; id: number; value: boolean }
  | { kind: "vote"; id: number; value: boolean }
  | { kind: "topic"; topic: string; value: boolean }
  | { kind: "mute"; id: number; value: boolean }
  | { kind: "setting"; value: boolean }
  | { kind: "hint"; name: string; value: boolean };

const flagEvent = (flag: "starred" | "read", isSet: boolean, messages: number[]) => {
  const about = { type: "update_message_flags" as const, flag, messages, all: false };
  if (isSet) return { ...about, op: "add" as const, operation: "add" as const };
  const details = messages.map((id) => [id, { type: "stream" as const, stream_id: 1, topic: "t" }]);
  return {
    ...about,
    op: "remove" as const,
    operation: "remove" as const,
    ...(flag === "read" ? { message_details: Object.fromEntries(details) } : {}),
  };
};

const reactionEvent = (message_id: number, isSet: boolean) => ({
  type: "reaction" as const,
  op: isSet ? ("add" as const) : ("remove" as const),
  message_id,
  emoji_name: "tada",
  emoji_code: "1f389",
  reaction_type: "unicode_emoji" as const,
  user_id: me,
  user: { user_id: me, email: "", full_name: "" },
});

const voteEvent = (message_id: number, submessage_id: number, content: string) =>
  ({ type: "submessage", msg_type: "widget", message_id, submessage_id, sender_id: me, content }) as const;

const topicEvent = (topic_name: string, isFollowed: boolean) =>
  ({ type: "user_topic", stream_id: 1, topic_name, last_updated: 0, visibility_policy: isFollowed ? 3 : 0 }) as const;

const muteEvent = (id: number, isMuted: boolean, { muted_users = [] }: Pick<FollowedState, "muted_users">) => {
  const others = muted_users.filter((each) => each.id !== id);
  return { type: "muted_users" as const, muted_users: isMuted ? [...others, { id, timestamp: 0 }] : others };
};

const settingEvent = (value: boolean) =>
  ({ type: "user_settings", op: "update", property: "enter_sends", value }) as const;

const hintEvent = (name: string, { onboarding_steps = [] }: Pick<FollowedState, "onboarding_steps">) => ({
  type: "onboarding_steps" as const,
  onboarding_steps: onboarding_steps.filter((each) => each.name !== name),
});

let lastVote = 0;

/** What the client performs for it. */
function toChange(thing: Thing): Change {
  const { value } = thing;
  switch (thing.kind) {
    case "star":
      return { key: `star ${thing.id}`, event: flagEvent("starred", value, [thing.id]) };
    case "read":
      return { key: "read", event: flagEvent("read", value, thing.ids) };
    case "reaction":
      return { key: `reaction ${thing.id}`, event: reactionEvent(thing.id, value) };
    case "vote":
      return { key: `vote ${thing.id}`, event: voteEvent(thing.id, --lastVote, `vote ${value}`) };
    case "topic":
      return { key: `topic ${thing.topic}`, event: topicEvent(thing.topic, value) };
    case "mute": {
      const eventFor = (state: FollowedState) => muteEvent(thing.id, value, state);
      return {
        key: `mute ${thing.id}`,
        event: muteEvent(thing.id, value, {}),
        eventFor,
        isConfirmedBy: (event) =>
          event.type === "muted_users" && event.muted_users.some(({ id }) => id === thing.id) === value,
      };
    }
    case "setting":
      return { key: "setting", event: settingEvent(value) };
    case "hint": {
      const eventFor = (state: FollowedState) => hintEvent(thing.name, state);
      return {
        key: `hint ${thing.name}`,
        event: hintEvent(thing.name, {}),
        eventFor,
        isConfirmedBy: (event) =>
          event.type === "onboarding_steps" && !event.onboarding_steps.some(({ name }) => name === thing.name),
      };
    }
  }
}

interface Request {
  thing: Thing;
  outcome: "accepted" | "refused" | undefined;
  respond: PromiseWithResolvers<void>;
}

class Server {
  state = firstState();
  messages = firstMessages();
  log: { event: Event; isForeign: boolean; thing: Thing }[] = [];
  /** Waiting for a response, in the order sent. */
  requests: Request[] = [];
  #lastVote = 100;

  /** Emits an event if it makes a difference. */
  set(thing: Thing, isForeign: boolean): void {
    const event = this.#eventFor(thing);
    if (!event) return;
    this.state = applyEvent(this.state, event);
    this.#changeMessages(event);
    this.log.push({ event, isForeign, thing });
  }

  #eventFor(thing: Thing): Event | undefined {
    const { value } = thing;
    const hasFlag = (id: number, flag: string): boolean => this.messages.get(id)?.flags.includes(flag) ?? false;
    switch (thing.kind) {
      case "star":
        return hasFlag(thing.id, "starred") === value ? undefined : flagEvent("starred", value, [thing.id]);
      case "read": {
        const ids = thing.ids.filter((id) => hasFlag(id, "read") !== value);
        return ids.length === 0 ? undefined : flagEvent("read", value, ids);
      }
      case "reaction": {
        const isThere = (this.messages.get(thing.id)?.reactions.length ?? 0) > 0;
        return isThere === value ? undefined : reactionEvent(thing.id, value);
      }
      case "vote":
        return voteEvent(thing.id, ++this.#lastVote, `vote ${value}`);
      case "topic": {
        const isFollowed = this.state.user_topics?.some(({ topic_name }) => topic_name === thing.topic);
        return isFollowed === value ? undefined : topicEvent(thing.topic, value);
      }
      case "mute": {
        const isMuted = this.state.muted_users?.some(({ id }) => id === thing.id);
        return isMuted === value ? undefined : muteEvent(thing.id, value, this.state);
      }
      case "setting":
        return this.state.user_settings?.enter_sends === value ? undefined : settingEvent(value);
      case "hint": {
        const isDue = this.state.onboarding_steps?.some(({ name }) => name === thing.name);
        return isDue ? hintEvent(thing.name, this.state) : undefined;
      }
    }
  }

  #changeMessages(event: Event): void {
    const change = (id: number, next: (message: Message) => Partial<Message>): void => {
      const message = this.messages.get(id);
      if (message) this.messages.set(id, { ...message, ...next(message) });
    };
    if (event.type === "update_message_flags")
      for (const id of event.messages)
        change(id, ({ flags }) => {
          const others = flags.filter((flag) => flag !== event.flag);
          return { flags: event.op === "add" ? [...others, event.flag] : others };
        });
    else if (event.type === "reaction")
      change(event.message_id, () => ({
        reactions: event.op === "add" ? [{ ...toReaction(event) }] : [],
      }));
    else if (event.type === "submessage") {
      const { submessage_id: id, message_id, sender_id, msg_type, content } = event;
      change(message_id, ({ submessages }) => ({
        submessages: [...submessages, { id, message_id, sender_id, msg_type, content }],
      }));
    }
  }
}

const toReaction = ({ emoji_name, emoji_code, reaction_type, user_id }: Extract<Event, { type: "reaction" }>) => ({
  emoji_name,
  emoji_code,
  reaction_type,
  user_id,
});

let historyCount = 0;

/** The client, connected to the model server. */
class Client {
  readonly #server: Server;
  #cursor = 0;
  #registration: { requestedAt: number; snapshot: FollowedState; cursor: number } | undefined;
  /** The user's last change of each thing, for as long as it has to be on screen. */
  readonly lastChange = new Map<string, Thing>();
  readonly #lost = new Set<string>();
  readonly #history = ++historyCount;

  constructor(server: Server) {
    this.#server = server;
    this.beginRegistration();
    this.finishRegistration();
  }

  change(thing: Thing): void {
    const change = toChange(thing);
    if (!this.#lost.has(nameOf(thing))) this.lastChange.set(nameOf(thing), thing);
    perform({
      ...change,
      // Requests of another history do not count.
      key: `${this.#history} ${change.key}`,
      request: () => {
        const request: Request = { thing, outcome: undefined, respond: Promise.withResolvers() };
        this.#server.requests.push(request);
        return request.respond.promise;
      },
      onEnd: () => undefined,
    });
  }

  /** Delivers some of the events that are due. */
  poll(most: number): void {
    if (this.#registration) return;
    const events = this.#advance(this.#cursor + most);
    const isAll = this.#cursor === this.#server.log.length;
    const isExact = applyEvents(events, isAll ? performance.now() : -Infinity);
    if (!isExact) throw new Error("an event could not be applied");
  }

  /** Moves the cursor. Returns the events that are passed. */
  #advance(to: number): Event[] {
    const passed = this.#server.log.slice(this.#cursor, to);
    this.#cursor += passed.length;
    for (const { isForeign, thing: passedThing } of passed) {
      const name = nameOf(passedThing);
      if (isForeign || this.lastChange.get(name) === passedThing) this.lastChange.delete(name);
    }
    return passed.map(({ event }) => event);
  }

  /** Nobody can tell whether the next event of this thing belongs to a later request. */
  lose(lost: Thing): void {
    this.#lost.add(nameOf(lost));
    this.lastChange.delete(nameOf(lost));
  }

  beginRegistration(): void {
    this.#registration ??= {
      requestedAt: performance.now(),
      snapshot: this.#server.state,
      cursor: this.#server.log.length,
    };
  }

  /** The messages on screen are fetched again after that. */
  finishRegistration(): void {
    if (!this.#registration) return;
    const { requestedAt, snapshot, cursor } = this.#registration;
    this.#registration = undefined;
    this.#advance(cursor);
    applyRegistration(snapshot, requestedAt);
    addMessages([...this.#server.messages.values()]);
  }
}

/** Things with the same name set the same value. */
const nameOf = (thing: Thing): string => (thing.kind === "read" ? "read" : toChange(thing).key);

function isShown(thing: Thing): boolean {
  const { kind, value } = thing;
  const message = "id" in thing ? findMessage(thing.id)?.value : undefined;
  switch (kind) {
    case "star":
      return message?.flags.includes("starred") === value;
    case "read":
      return thing.ids.every((id) => findMessage(id)?.value.flags.includes("read") === value);
    case "reaction":
      return (message?.reactions ?? []).length > 0 === value;
    case "vote":
      return message?.submessages.at(-1)?.content === `vote ${value}`;
    case "topic":
      return part("user_topics").value?.some(({ topic_name }) => topic_name === thing.topic) === value;
    case "mute":
      return part("muted_users").value?.some(({ id }) => id === thing.id) === value;
    case "setting":
      return part("user_settings").value?.enter_sends === value;
    case "hint":
      return !part("onboarding_steps").value?.some(({ name }) => name === thing.name);
  }
}

const value = fc.boolean();
const id = fc.constantFrom(...messageIds);
const thing: fc.Arbitrary<Thing> = fc.oneof(
  fc.record({ kind: fc.constant("star" as const), id, value }),
  fc.record({ kind: fc.constant("read" as const), ids: fc.subarray(messageIds, { minLength: 1 }), value }),
  fc.record({ kind: fc.constant("reaction" as const), id, value }),
  fc.record({ kind: fc.constant("vote" as const), id, value }),
  fc.record({ kind: fc.constant("topic" as const), topic: fc.constantFrom("t", "u"), value }),
  fc.record({ kind: fc.constant("mute" as const), id: fc.constantFrom(...people), value }),
  fc.record({ kind: fc.constant("setting" as const), value }),
  fc.record({ kind: fc.constant("hint" as const), name: fc.constantFrom(...hints), value }),
);

type Step =
  | { do: "change" | "change elsewhere"; thing: Thing }
  | { do: "accept" | "refuse" | "respond" | "lose"; which: number }
  | { do: "poll"; most: number }
  | { do: "wait" | "lose queue" | "register" };

const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: thing.map((each) => ({ do: "change" as const, thing: each })) },
  { weight: 2, arbitrary: thing.map((each) => ({ do: "change elsewhere" as const, thing: each })) },
  { weight: 5, arbitrary: which.map((at) => ({ do: "accept" as const, which: at })) },
  { weight: 2, arbitrary: which.map((at) => ({ do: "refuse" as const, which: at })) },
  { weight: 6, arbitrary: which.map((at) => ({ do: "respond" as const, which: at })) },
  { weight: 1, arbitrary: which.map((at) => ({ do: "lose" as const, which: at })) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }).map((most) => ({ do: "poll" as const, most })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("wait" as const, "lose queue" as const, "register" as const)
      .map((each) => ({ do: each })),
  },
);

function take(server: Server, client: Client, next: Step): void {
  const requestAt = (at: number): Request | undefined => server.requests[at % server.requests.length];
  switch (next.do) {
    case "change":
      client.change(next.thing);
      break;
    case "change elsewhere":
      server.set(next.thing, true);
      break;
    case "accept": {
      const request = requestAt(next.which);
      if (request && !request.outcome) accept(server, request);
      break;
    }
    case "refuse": {
      const request = requestAt(next.which);
      if (request) request.outcome ??= "refused";
      break;
    }
    case "respond": {
      const request = requestAt(next.which);
      if (request?.outcome) respond(server, client, request);
      break;
    }
    case "lose": {
      const request = requestAt(next.which);
      if (!request) break;
      server.requests = server.requests.filter((each) => each !== request);
      client.lose(request.thing);
      request.respond.reject(new NoResponse(undefined));
      break;
    }
    case "poll":
      client.poll(next.most);
      break;
    case "wait":
      vi.advanceTimersByTime(1000);
      break;
    case "lose queue":
      client.beginRegistration();
      break;
    case "register":
      client.finishRegistration();
  }
}

function accept(server: Server, request: Request): void {
  server.set(request.thing, false);
  request.outcome = "accepted";
}

function respond(server: Server, client: Client, request: Request): void {
  server.requests = server.requests.filter((each) => each !== request);
  if (request.outcome === "accepted") request.respond.resolve();
  else {
    if (client.lastChange.get(nameOf(request.thing)) === request.thing) client.lastChange.delete(nameOf(request.thing));
    request.respond.reject(new Refusal("no", { code: "", status: 400, data: {} }));
  }
}

/** Runs what waits for a response. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn++) await Promise.resolve();
};

test("every history of changes, events and failures ends in exactly the server's state", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
      // What a failed history left behind.
      pending.value = [];
      const server = new Server();
      const client = new Client(server);
      for (const next of steps) {
        take(server, client, next);
        await settle();
        for (const last of client.lastChange.values())
          if (!isShown(last))
            throw new Error(`after "${next.do}", the user's last change is not shown: ${JSON.stringify(last)}`);
      }

      while (server.requests.length > 0) {
        for (const request of server.requests) {
          if (!request.outcome) accept(server, request);
          respond(server, client, request);
        }
        await settle();
      }
      client.finishRegistration();
      vi.advanceTimersByTime(eventTimeout + 2);
      client.poll(Infinity);
      client.poll(Infinity);

      expect(pending.value.map(({ key }) => key)).toEqual([]);
      for (const [name, expected] of Object.entries(server.state))
        expect([name, part(name as keyof FollowedState).value]).toEqual([name, expected]); // a key of this very state
      for (const message of server.messages.values())
        expect(plain(findMessage(message.id)?.value)).toEqual(plain(message));
    }),
    { numRuns: histories },
  );
}, 120_000);

/** Flags and reactions are sets. */
const plain = (message: Message | undefined) =>
  message && { ...message, flags: message.flags.toSorted(), submessages: message.submessages.map((each) => each.id) };
