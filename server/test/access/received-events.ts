/**
 * Checks the events that users receive about messages. Every user has a queue; a marker event after each step separates the
 * steps. Queues are read at the end, because recipients must be determined by the state at the time of the event.
 */
import { isDeepStrictEqual } from "node:util";
import type { Event } from "@skein/api/events.ts";
import { roles } from "@skein/api/users.ts";
import { createApiKey } from "../../src/domain/people/auth/api-keys.ts";
import { toEveryone } from "../../src/events/audience.ts";
import { emit } from "../../src/events/emit.ts";
import { unknownUserName } from "../../src/domain/people/users/queries.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import { nodes } from "../nodes.ts";
import { TestRealm, TestUser, type TestQueue } from "../realm.ts";
import type { Difference } from "./difference.ts";
import { among, type Organization } from "./organization.ts";
import type { Step } from "./plan.ts";
import { canRead, canSee, isInChannel, isSubscribed, wasSent, type Message, type Person } from "./rule.ts";
import { take } from "./steps.ts";

/** A user's access at one moment, by the rule. */
interface Access {
  readable: Set<number>;
  /** Messages about which they get events. */
  heard: Set<number>;
  /** Users they may see. */
  seen: Set<number>;
}

/** One step with the access of all users before and after it. */
interface StepRecord {
  step: Step;
  before: Map<Person, Access>;
  after: Map<Person, Access>;
  /** The topic that each message showed before and after it. */
  topicBefore: Map<number, string>;
  topicAfter: Map<number, string>;
  sent: Message[];
  gone: number[];
  /** The user who deletes messages gets events about all of them. */
  actor: Person | undefined;
}

/** In a public channel, former subscribers who received a message also get events about it. */
function hears(person: Person, message: Message): boolean {
  if (!canRead(person, message)) return false;
  if (!isInChannel(message) || isSubscribed(person, message.place)) return true;
  const isOpenToAll = message.place.kind === "public" || message.place.kind === "web-public";
  return isOpenToAll && person.role !== roles.guest && wasSent(person, message);
}

function accessOfAll(organization: Organization): Map<Person, Access> {
  const { people, messages } = organization;
  const idsWhere = (holds: (message: Message) => boolean) => new Set(messages.filter(holds).map(({ id }) => id));
  return new Map(
    people.map((person) => [
      person,
      {
        readable: idsWhere((message) => canRead(person, message)),
        heard: idsWhere((message) => hears(person, message)),
        seen: new Set(people.filter((other) => canSee(person, other, organization)).map(({ id }) => id)),
      },
    ]),
  );
}

const topicsOf = ({ messages }: Organization): Map<number, string> =>
  new Map(messages.map(({ id, spellings }) => [id, spellings.at(-1) ?? ""]));

export async function compareReceivedEvents(organization: Organization, steps: Step[]): Promise<Difference[]> {
  const queues = await followAll(organization);
  const records: StepRecord[] = [];
  for (const step of steps) {
    const [before, topicBefore] = [accessOfAll(organization), topicsOf(organization)];
    const known = new Set(topicBefore.keys());
    await take(organization, step);
    const topicAfter = topicsOf(organization);
    const left = new Set(topicAfter.keys());
    records.push({
      step,
      before,
      after: accessOfAll(organization),
      topicBefore,
      topicAfter,
      sent: organization.messages.filter(({ id }) => !known.has(id)),
      gone: [...known].filter((id) => !left.has(id)),
      actor: "person" in step ? among(organization.people, step.person) : undefined,
    });
    await mark(organization, records.length);
  }
  const differences: Difference[] = [];
  for (const [person, queue] of queues)
    for (const [n, record] of records.entries())
      differences.push(...differencesIn(record, person, await eventsUntil(queue, n + 1)));
  return differences;
}

async function followAll({ ctx, realm, people }: Organization): Promise<Map<Person, TestQueue>> {
  const home = new TestRealm(realm.id, realm.host ?? "", await nodes());
  const queues = new Map<Person, TestQueue>();
  for (const person of people) {
    const key = await transaction(ctx.db, "make a key", (tx) =>
      createApiKey(tx, { id: person.id, realm_id: realm.id }, "test"),
    );
    const { delivery_email } = await ctx.db
      .selectFrom("users")
      .select("delivery_email")
      .where("id", "=", person.id)
      .executeTakeFirstOrThrow();
    const client = new TestUser(home, person.id, delivery_email, delivery_email, key);
    queues.set(person, await client.register());
  }
  return queues;
}

const markName = (n: number): string => `step ${n} is over`;

const mark = ({ ctx, realm }: Organization, n: number): Promise<void> =>
  transaction(ctx.db, "mark the end of a step", async (tx) =>
    emit(tx, realm.id, toEveryone, { type: "realm", op: "update", property: "name", value: markName(n) }),
  );

async function eventsUntil(queue: TestQueue, n: number): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const event = await queue.next();
    if (event.type === "realm" && event.op === "update" && event.value === markName(n)) return events;
    events.push(event);
  }
}

/** The ids of the messages in an event. */
function named(event: Event): number[] {
  switch (event.type) {
    case "message":
      return [event.message.id];
    case "update_message":
      return event.message_ids;
    case "delete_message":
      return event.message_ids ?? [event.message_id ?? 0];
    case "reaction":
    case "submessage":
      return [event.message_id];
    case "update_message_flags":
      return event.messages;
    case "attachment":
      return event.op === "remove" ? [] : event.attachment.messages.map(({ id }) => id);
    default:
      return [];
  }
}

/** The topics that an event names. */
function topicsIn(event: Event): { was?: string | undefined; is?: string | undefined } {
  switch (event.type) {
    case "message":
      return event.message.type === "stream" ? { is: event.message.subject } : {};
    case "update_message":
      return {
        was: event.orig_subject,
        is: event.orig_subject === undefined ? undefined : (event.subject ?? event.orig_subject),
      };
    case "delete_message":
      return { was: event.topic };
    default:
      return {};
  }
}

function differencesIn(
  { step, before, after, topicBefore, topicAfter, sent, gone, actor }: StepRecord,
  person: Person,
  events: Event[],
): Difference[] {
  const none: Access = { readable: new Set(), heard: new Set(), seen: new Set() };
  const [was, is] = [before.get(person) ?? none, after.get(person) ?? none];
  const namedBy = (type: Event["type"]) => sorted(events.filter((event) => event.type === type).flatMap(named));
  const differences: Difference[] = [];
  const hold = (way: string, came: unknown, expected: unknown) => {
    if (!isDeepStrictEqual(came, expected)) differences.push({ way, person: person.id, came, expected, step });
  };

  for (const event of events) {
    const { was: old, is: now } = topicsIn(event);
    for (const id of named(event)) {
      if (old !== undefined) hold(`earlier topic of ${id}`, old, topicBefore.get(id));
      if (now !== undefined) hold(`topic of ${id}`, now, topicAfter.get(id));
    }
  }
  const strange = events.flatMap(named).filter((id) => !was.readable.has(id) && !is.readable.has(id));
  hold("events about messages that were never readable", sorted(strange), []);
  hold("messages", namedBy("message"), sorted(sent.filter((message) => wasSent(person, message)).map(({ id }) => id)));
  const strangers = events.flatMap((event) =>
    event.type === "message" && event.message.sender_full_name === unknownUserName ? [event.message.id] : [],
  );
  const ofUnseen = sent.filter(({ senderId, id }) => !is.seen.has(senderId) && namedBy("message").includes(id));
  if (step.kind === "send") hold("hidden senders", sorted(strangers), sorted(ofUnseen.map(({ id }) => id)));
  const outOfReach = namedBy("update_message").filter((id) => !is.readable.has(id));
  hold("updates of messages that are no longer readable", outOfReach, []);
  const lost = [...was.heard].filter((id) => !is.readable.has(id));
  if (step.kind === "move") hold("deletions", namedBy("delete_message"), sorted(lost));
  if (step.kind === "delete" || step.kind === "delete topic")
    hold("deletions", namedBy("delete_message"), sorted(person === actor ? gone : lost));
  return differences;
}

const sorted = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);
