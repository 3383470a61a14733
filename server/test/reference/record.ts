/**
 * Runs all examples in a fresh demo organization and records what the reference pages show. What has kept its shape stays
 * as it was recorded, so that a second run changes nothing: `npm run examples`.
 */
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { endpoints } from "@skein/api/all.ts";
import { examples } from "@skein/api/examples/all.ts";
import type { AnyExample, RouteName } from "@skein/api/examples/example.ts";
import { declarations, routeNameOf } from "@skein/api/examples/operations.ts";
import { announceOwnRelease } from "../../src/domain/organization/releases/announce.ts";
import { connect } from "../../src/platform/db/connect.ts";
import type { RecordedError, RecordedEvent, RecordedOperation } from "../../src/http/reference/recorded.ts";
import { slugOf } from "../../src/http/reference/event-names.ts";
import { demoNow, ownerOf, startDemo } from "./demo-process.ts";
import { deliverToService } from "./deliver-to-service.ts";
import { extraEvents, makeNewcomer } from "./extra-events.ts";
import { callOf, Performer, type Account, type Answer, type Taken } from "./perform.ts";
import { probe, type Others } from "./probe.ts";
import { folder, readEvents, readOperations, readWebhooks, write } from "./recorded.ts";
import { runCurl } from "./run-curl.ts";
import { shapeOf, shorten, type Json } from "./shape.ts";

interface AnyEvent {
  type: string;
  op?: string;
  id: number;
}

/** Time for events to arrive, and for what workers do next. */
const settleTime = 150;
const exportTime = 2500;

const nameOf = ({ type, op }: { type: string; op?: string }): string => (op === undefined ? type : `${type} ${op}`);

interface Registration {
  isOld?: boolean;
  types?: readonly string[] | undefined;
  userAgent?: string;
}

class Listener {
  #queueId = "";
  #lastEventId = -1;
  readonly #performer: Performer;
  readonly #account: Account;

  constructor(performer: Performer, account: Account) {
    this.#performer = performer;
    this.#account = account;
  }

  /** An old client has no capabilities. */
  async register({ isOld = false, types = isOld ? onlyForOldClients : undefined, userAgent }: Registration = {}) {
    const capabilities = [
      "notification_settings_null",
      "bulk_message_deletion",
      "user_avatar_url_field_optional",
      "stream_typing_notifications",
      "user_settings_object",
      "linkifier_url_template",
      "user_list_incomplete",
      "include_deactivated_groups",
      "archived_channels",
      "empty_topic_name",
    ];
    const form = new URLSearchParams({
      apply_markdown: "true",
      fetch_event_types: '["message"]',
      ...(types === undefined ? {} : { event_types: JSON.stringify(types) }),
      ...(isOld
        ? {}
        : { client_capabilities: JSON.stringify(Object.fromEntries(capabilities.map((name) => [name, true]))) }),
    });
    const sender = { account: this.#account, ...(userAgent === undefined ? {} : { userAgent }) };
    const { body } = await this.#performer.request("POST", "/register", form, sender);
    this.#queueId = body["queue_id"] as string; // as documented
    this.#lastEventId = body["last_event_id"] as number;
  }

  async read({ waits = false } = {}): Promise<AnyEvent[]> {
    const form = new URLSearchParams({
      queue_id: this.#queueId,
      last_event_id: String(this.#lastEventId),
      dont_block: String(!waits),
    });
    const { status, body } = await this.#performer.request("GET", "/events", form, { account: this.#account });
    if (status !== 200) return []; // the organization was deactivated
    const events = body["events"] as AnyEvent[];
    this.#lastEventId = events.at(-1)?.id ?? this.#lastEventId;
    return events;
  }
}

/** Types of events that current clients do not get, or get with another op. */
const onlyForOldClients = [
  "muted_topics",
  "update_display_settings",
  "update_global_notifications",
  "user_group",
  "stream",
];

const isTransient = (name: string): boolean => name === "presence" || name === "heartbeat";

async function main(): Promise<void> {
  const earlier = existsSync(join(folder, "operations")) ? readOperations() : new Map<string, RecordedOperation>();
  const earlierEvents = existsSync(join(folder, "events")) ? readEvents() : new Map<string, RecordedEvent>();
  const earlierWebhooks = existsSync(join(folder, "webhooks")) ? readWebhooks() : new Map<string, Json>();
  await using demo = await startDemo(spawn, demoNow);
  const performer = new Performer(demo.url, ownerOf(demo));
  const accountOf = async (email: string): Promise<Account> => {
    const form = new URLSearchParams({ username: email });
    const { body } = await performer.request("POST", "/dev_fetch_api_key", form, { account: "none" });
    return { email, key: body["api_key"] as string };
  };
  const others: Others = {
    member: await accountOf("maya@example.com"),
    guest: await accountOf("finn@example.com"),
    bot: { email: "standup-bot@example.com", key: await regenerate(performer, 36) },
  };
  const listeners = [performer.owner, others.member, others.guest].map((account) => new Listener(performer, account));
  for (const listener of listeners) await listener.register();
  // Only queues that name this type get it.
  const auditListener = new Listener(performer, performer.owner);
  await auditListener.register({ types: ["audit_log"] });
  listeners.push(auditListener);
  const oldListener = new Listener(performer, performer.owner);
  await oldListener.register({ isOld: true });
  const readAll = async (): Promise<AnyEvent[]> => {
    const events = (await Promise.all(listeners.map((listener) => listener.read()))).flat();
    const names = new Set(events.map(nameOf));
    return [...events, ...(await oldListener.read()).filter((event) => !names.has(nameOf(event)))];
  };
  const quiet = new Listener(performer, others.bot);
  await quiet.register({ types: ["heartbeat"] });
  const heartbeat = quiet.read({ waits: true });

  const inOrder = endpoints
    .map(({ operation }) => routeNameOf(operation) ?? fail(`no route for ${operation}`))
    .toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));
  const recorded = new Map<RouteName, { answer: Answer; events: AnyEvent[]; taken: Taken; errors: RecordedError[] }>();
  const seen = new Map<string, { example: string | undefined; event: AnyEvent; causes: Set<string> }>();
  const noteEvents = (operation: string | undefined, events: AnyEvent[]): void => {
    for (const event of events) {
      const known = seen.get(nameOf(event)) ?? { example: operation, event, causes: new Set<string>() };
      if (operation !== undefined) known.causes.add(operation);
      seen.set(nameOf(event), known);
    }
  };

  const record = async (name: RouteName): Promise<void> => {
    const example: AnyExample = examples[name];
    const { operation } = declarations[name];
    const taken = example.written ? new Map<string, unknown>() : await performer.performSteps(example);
    await setTimeout(settleTime);
    await readAll();
    const answer = example.written
      ? await runCurl(example.written.curl(demo.url), performer)
      : await performer.send(callOf(name, example), taken);
    await setTimeout(operation === "export-realm" ? exportTime : settleTime);
    const all = await readAll();
    const events = all.filter((event) => !isTransient(nameOf(event)) || operation === "update-presence");
    recorded.set(name, { answer, events, taken, errors: [] });
    noteEvents(operation, events);
    if (answer.status >= 400 !== (example.refused !== undefined))
      console.error(`${operation}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  };

  for (const name of inOrder.filter((candidate) => !isLast(candidate))) await record(name);
  const newcomer = await makeNewcomer(performer);
  const newListener = new Listener(performer, newcomer);
  await newListener.register();
  listeners.push(newListener);
  for (const [operation, cause] of extraEvents) {
    await readAll();
    await cause(performer, { ...others, newcomer });
    await setTimeout(settleTime);
    noteEvents(operation, await readAll());
  }
  const inBrowser = new Listener(performer, performer.owner);
  await inBrowser.register({ types: ["restart", "web_reload_client"], userAgent: "Mozilla/5.0" });
  await takeOver(demo.database);
  noteEvents(undefined, await inBrowser.read({ waits: true }));
  const { request: webhook } = await deliverToService(performer, { content: "This morning." });
  for (const [name, entry] of recorded) {
    entry.errors = await probe(performer, name, examples[name], entry.taken, others);
  }
  noteEvents(
    "get-events",
    (await heartbeat).filter(({ type }) => type === "heartbeat"),
  );
  await readAll();
  const lastEvents = Promise.all(listeners.map((listener) => listener.read({ waits: true })));
  for (const name of inOrder.filter(isLast)) await record(name);
  noteEvents("deactivate-realm", (await lastEvents).flat());

  rmSync(folder, { recursive: true, force: true });
  for (const [name, { answer, events, errors }] of recorded) {
    const { operation } = declarations[name];
    const response = shorten(answer.body as Json);
    const before = earlier.get(operation);
    const isSame =
      before?.status === answer.status && shapeOf(before.response).symmetricDifference(shapeOf(response)).size === 0;
    write("operations", operation, {
      status: answer.status,
      response: isSame ? before.response : response,
      errors: keepEarlier(before?.errors ?? [], errors),
      events: [...new Set(events.map(nameOf))].toSorted(),
    });
  }
  for (const [name, { example, event, causes }] of seen) {
    const before = earlierEvents.get(slugOf(name));
    const now = shorten(event as unknown as Json);
    const isSame = before !== undefined && shapeOf(before.event).symmetricDifference(shapeOf(now)).size === 0;
    write("events", slugOf(name), {
      example,
      event: isSame ? before.event : now,
      causes: [...causes].toSorted(),
    });
  }
  const before = earlierWebhooks.get("outgoing");
  const now = shorten(webhook);
  const isSame = before !== undefined && shapeOf(before).symmetricDifference(shapeOf(now)).size === 0;
  write("webhooks", "outgoing", isSame ? before : now);
  console.log(`recorded ${recorded.size} operations and ${seen.size} events`);
}

/** What happens when a node of this release starts after another release has served the organization. */
async function takeOver(databaseUrl: string): Promise<void> {
  const db = connect({ url: databaseUrl, connections: 1, name: "examples" });
  try {
    await db.updateTable("server_generations").set({ release: "0.0.0" }).execute();
    await announceOwnRelease(db, false);
  } finally {
    await db.destroy();
  }
}

async function regenerate(performer: Performer, botId: number): Promise<string> {
  const path = `/bots/${botId}/api_key/regenerate`;
  const { body } = await performer.request("POST", path, new URLSearchParams(), { account: performer.owner });
  return body["api_key"] as string; // as documented
}

/** Errors that name an id differ from run to run. */
function keepEarlier(before: RecordedError[], now: RecordedError[]): RecordedError[] {
  const withoutNumbers = ({ code, msg }: RecordedError): string =>
    `${code} ${msg.replaceAll(/[\da-f]{8}(-[\da-f]{4,12}){4}|\d+/g, "0")}`;
  const isSame = before.map(withoutNumbers).join("\n") === now.map(withoutNumbers).join("\n");
  return isSame ? before : now;
}

const isLast = (name: RouteName): boolean => examples[name].endsOrganization === true;

function fail(message: string): never {
  throw new Error(message);
}

await main();
