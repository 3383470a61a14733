/**
 * What people hear of messages while steps are taken. Everybody has a queue; a mark in the log after each step tells what
 * came of which. Queues are read when all is over: what reaches whom is a matter of when it happened.
 */
import { isDeepStrictEqual } from "node:util";
import type { Event } from "@skein/api/events.ts";
import { roles } from "@skein/api/users.ts";
import { createApiKey } from "../../src/domain/auth/api-keys.ts";
import { toEveryone } from "../../src/events/audience.ts";
import { emit } from "../../src/events/emit.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import { nodes } from "../nodes.ts";
import { TestRealm, TestUser, type TestQueue } from "../realm.ts";
import type { Difference } from "./difference.ts";
import { among, type Organization } from "./organization.ts";
import type { Step } from "./plan.ts";
import { canRead, isInChannel, isSubscribed, wasSent, type Message, type Person } from "./rule.ts";
import { take } from "./steps.ts";

/** What the rule says of somebody at a moment. */
interface Standing {
  readable: Set<number>;
  /** Of which messages they hear what happens to them. */
  heard: Set<number>;
}

/** One step, as it should be heard of. */
interface Chapter {
  step: Step;
  before: Map<Person, Standing>;
  after: Map<Person, Standing>;
  sent: Message[];
  gone: number[];
  /** Who deletes hears of all of it. */
  actor: Person | undefined;
}

/** Where a channel is open to all, also those who were sent a message hear of it. */
function hears(person: Person, message: Message): boolean {
  if (!canRead(person, message)) return false;
  if (!isInChannel(message) || isSubscribed(person, message.place)) return true;
  const isOpenToAll = message.place.kind === "public" || message.place.kind === "web-public";
  return isOpenToAll && person.role !== roles.guest && wasSent(person, message);
}

function standings({ people, messages }: Organization): Map<Person, Standing> {
  const idsWhere = (holds: (message: Message) => boolean) => new Set(messages.filter(holds).map(({ id }) => id));
  return new Map(
    people.map((person) => [
      person,
      {
        readable: idsWhere((message) => canRead(person, message)),
        heard: idsWhere((message) => hears(person, message)),
      },
    ]),
  );
}

export async function compareTold(organization: Organization, steps: Step[]): Promise<Difference[]> {
  const queues = await followAll(organization);
  const chapters: Chapter[] = [];
  for (const step of steps) {
    const [before, known] = [standings(organization), new Set(organization.messages.map(({ id }) => id))];
    await take(organization, step);
    const left = new Set(organization.messages.map(({ id }) => id));
    chapters.push({
      step,
      before,
      after: standings(organization),
      sent: organization.messages.filter(({ id }) => !known.has(id)),
      gone: [...known].filter((id) => !left.has(id)),
      actor: "person" in step ? among(organization.people, step.person) : undefined,
    });
    await mark(organization, chapters.length);
  }
  const differences: Difference[] = [];
  for (const [person, queue] of queues)
    for (const [n, chapter] of chapters.entries())
      differences.push(...differencesIn(chapter, person, await eventsUntil(queue, n + 1)));
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

/** The messages an event names. */
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

function differencesIn(
  { step, before, after, sent, gone, actor }: Chapter,
  person: Person,
  events: Event[],
): Difference[] {
  const none: Standing = { readable: new Set(), heard: new Set() };
  const [was, is] = [before.get(person) ?? none, after.get(person) ?? none];
  const namedBy = (type: Event["type"]) => sorted(events.filter((event) => event.type === type).flatMap(named));
  const differences: Difference[] = [];
  const hold = (way: string, came: unknown, expected: unknown) => {
    if (!isDeepStrictEqual(came, expected)) differences.push({ way, person: person.id, came, expected, step });
  };

  const strange = events.flatMap(named).filter((id) => !was.readable.has(id) && !is.readable.has(id));
  hold("told of, though not to be read", sorted(strange), []);
  hold("messages", namedBy("message"), sorted(sent.filter((message) => wasSent(person, message)).map(({ id }) => id)));
  const outOfReach = namedBy("update_message").filter((id) => !is.readable.has(id));
  hold("changes, though not to be read any more", outOfReach, []);
  const lost = [...was.heard].filter((id) => !is.readable.has(id));
  if (step.kind === "move") hold("deletions", namedBy("delete_message"), sorted(lost));
  if (step.kind === "delete" || step.kind === "delete topic")
    hold("deletions", namedBy("delete_message"), sorted(person === actor ? gone : lost));
  return differences;
}

const sorted = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);
