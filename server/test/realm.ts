/** A realm for each test, and users who call the API as clients do, alternating between two nodes. */
import { randomBytes } from "node:crypto";
import { createClient, type ApiResponse, type ArgumentsOf, type Client } from "@skein/api/client.ts";
import type { Endpoint, Method } from "@skein/api/endpoint.ts";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event, QueuedEvent } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { deleteQueue, getEvents, register, type RegistrationState } from "@skein/api/registration.ts";
import { inject } from "vitest";
import type { App } from "../src/app.ts";
import { createApiKey } from "../src/domain/people/auth/api-keys.ts";
import { createRealm } from "../src/domain/organization/realm/create.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import { nodes } from "./nodes.ts";
import { ReferenceAnswers } from "./reference-answers.ts";

type Node = App & { url: string };

/** Returns the response of a call that must succeed. */
export function success<E>(answer: ApiResponse<E>): Extract<ApiResponse<E>, { result: "success" }> {
  if (answer.result !== "success") throw new Error(`the call failed: ${JSON.stringify(answer)}`);
  return answer;
}

type RegisterParams = ArgumentsOf<typeof register>;

export class TestQueue {
  readonly id: string;
  readonly state: RegistrationState;
  readonly user: TestUser;
  lastEventId: number;
  #unread: QueuedEvent[] = [];

  constructor(user: TestUser, id: string, lastEventId: number, state: RegistrationState) {
    this.user = user;
    this.id = id;
    this.lastEventId = lastEventId;
    this.state = state;
  }

  /** Waits for the next event; returns it without its id. */
  async next(): Promise<Event> {
    while (this.#unread.length === 0) await this.#read(false);
    const event = this.#unread.shift();
    if (!event) throw new Error("unreachable: the loop above ends with an event");
    const { id: _, ...rest } = event;
    return rest;
  }

  /** Waits for the next event of this type, and skips others. */
  async nextOf<T extends Event["type"]>(type: T): Promise<Extract<Event, { type: T }>> {
    for (;;) {
      const event = await this.next();
      if (event.type === type) return event as Extract<Event, { type: T }>; // by its type
    }
  }

  /** All events available now, but not those in flight: use `next` to wait for an expected event. */
  async all(): Promise<QueuedEvent[]> {
    await this.#read(true);
    return this.#unread.splice(0);
  }

  async #read(dontBlock: boolean): Promise<void> {
    const answer = success(
      await this.user.call(getEvents, { queue_id: this.id, last_event_id: this.lastEventId, dont_block: dontBlock }),
    );
    const events = answer.events;
    this.lastEventId = events.at(-1)?.id ?? this.lastEventId;
    this.#unread.push(...events.filter((event) => event.type !== "heartbeat"));
  }

  async delete(): Promise<void> {
    success(await this.user.call(deleteQueue, { queue_id: this.id }));
  }

  /** The state of a client that followed this queue up to this message. */
  async followedState(lastMessageId: number): Promise<FollowedState> {
    let state: FollowedState = { ...this.state, user_id: this.user.id };
    for (let isOver = false; !isOver;) {
      if (this.#unread.length === 0) await this.#read(false);
      for (const event of this.#unread.splice(0)) {
        state = applyEvent(state, event, { include_subscribers: true });
        isOver ||= event.type === "message" && event.message.id === lastMessageId;
      }
    }
    return state;
  }
}

export class TestUser {
  readonly realm: TestRealm;
  readonly id: number;
  readonly email: string;
  readonly fullName: string;
  readonly apiKey: string;
  readonly #clients: Client[];
  #turn = 0;

  constructor(realm: TestRealm, id: number, email: string, fullName: string, apiKey: string) {
    this.realm = realm;
    this.id = id;
    this.email = email;
    this.fullName = fullName;
    this.apiKey = apiKey;
    this.#clients = realm.nodes.map((node) => realm.client(node, { email, apiKey }));
  }

  /** A client of one node; `call` and `request` alternate between nodes. */
  on(node: number): Client {
    const client = this.#clients[node % this.#clients.length];
    if (!client) throw new Error("a realm has at least one node");
    return client;
  }

  call<E extends Endpoint>(endpoint: E, params: ArgumentsOf<E>): Promise<ApiResponse<E>> {
    return this.on(this.#turn++).call(endpoint, params);
  }

  /** Sends a raw request; returns the parsed JSON response. */
  async request(method: Method, path: string, form: Record<string, string> = {}): Promise<Record<string, unknown>> {
    return (await this.on(this.#turn++).request(method, path, form)) as Record<string, unknown>; // always an object
  }

  /** Sends a request with files; returns the parsed JSON response. */
  async upload(
    path: string,
    files: Record<string, Buffer>,
    fields: Record<string, string> = {},
    method: Method = "POST",
  ): Promise<Record<string, unknown>> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    for (const [name, bytes] of Object.entries(files)) body.append("filename", new Blob([new Uint8Array(bytes)]), name);
    const node = this.realm.nodes[this.#turn++ % this.realm.nodes.length];
    const authorization = `Basic ${Buffer.from(`${this.email}:${this.apiKey}`).toString("base64")}`;
    const headers = { authorization, "x-forwarded-host": this.realm.host };
    const response = await fetch(`${node?.url}/api/v1${path}`, { method, headers, body });
    return (await response.json()) as Record<string, unknown>; // always an object
  }

  /** Registers a queue for these event types (default: all) that fetches this state (default: none). */
  async register(
    eventTypes?: Event["type"][],
    fetch: string[] = [],
    params: Partial<RegisterParams> = {},
  ): Promise<TestQueue> {
    const answer = success(
      await this.call(register, {
        fetch_event_types: fetch,
        client_capabilities: capabilities,
        ...(eventTypes ? { event_types: eventTypes } : {}),
        ...params,
      }),
    );
    const { queue_id, last_event_id, result: _, msg: __, ...state } = answer;
    return new TestQueue(this, queue_id, last_event_id, state);
  }
}

/** The client capabilities of a current client. */
export const capabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: false,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: false,
  include_deactivated_groups: true,
  archived_channels: false,
  empty_topic_name: true,
};

interface UserOptions {
  role?: 100 | 200 | 300 | 400 | 600;
  fullName?: string;
}

export class TestRealm {
  readonly id: number;
  readonly host: string;
  readonly nodes: Node[];
  /** The owner, with both account flags. Set by newRealm(). */
  admin!: TestUser;

  constructor(id: number, host: string, serverNodes: Node[]) {
    this.id = id;
    this.host = host;
    this.nodes = serverNodes;
  }

  get ctx() {
    const [node] = this.nodes;
    if (!node) throw new Error("a realm has at least one node");
    return node.ctx;
  }

  /** A client of one node that uses this realm's host name. */
  client(node: Node, credentials: { email?: string; apiKey?: string } = {}): Client {
    const hostedFetch: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("x-forwarded-host", this.host);
      const response = await fetch(input, { ...init, headers });
      await holdAgainstReference(
        new URL(input instanceof Request ? input.url : input),
        init?.method ?? "GET",
        response,
      );
      return response;
    };
    return createClient({ site: node.url, fetch: hostedFetch, ...credentials });
  }

  /** Creates an account with an API key. */
  async user(name: string, { role = 400, fullName = name }: UserOptions = {}): Promise<TestUser> {
    const email = `${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-")}-${randomBytes(3).toString("hex")}@${this.host}`;
    const { id, apiKey } = await transaction(this.ctx.db, "make a test user", async (tx) => {
      const row = await tx
        .insertInto("users")
        .values({ realm_id: this.id, delivery_email: email, full_name: fullName, role, bot_owner_id: null })
        .returning("id")
        .executeTakeFirstOrThrow();
      return { id: row.id, apiKey: await createApiKey(tx, { id: row.id, realm_id: this.id }, "test") };
    });
    return new TestUser(this, id, email, fullName, apiKey);
  }

  /** The same account with a new key, as after another sign-in. */
  async withNewKey({ id, email, fullName }: TestUser): Promise<TestUser> {
    const apiKey = await transaction(this.ctx.db, "make a key", (tx) =>
      createApiKey(tx, { id, realm_id: this.id }, "test"),
    );
    return new TestUser(this, id, email, fullName, apiKey);
  }
}

let reference: ReferenceAnswers | undefined;

/** Throws if a successful response does not match the protocol's reference document. */
export async function holdAgainstReference({ pathname }: URL, method: string, response: Response): Promise<void> {
  const file = inject("reference");
  if (!response.ok || method === "HEAD" || file === "" || !response.headers.get("content-type")?.includes("json"))
    return;
  reference ??= new ReferenceAnswers(file);
  const path = pathname.replace(/^\/(api\/v1|json)/, "");
  const complaints = reference.complaints(method, path, await response.clone().json());
  if (complaints.length > 0)
    throw new Error(`does not match the protocol's reference document:\n${complaints.join("\n")}`);
}

/** Creates an organization for one test, with its owner as `admin`; on the file's nodes unless others are given. */
export async function newRealm(given?: [Node, ...Node[]], domain = "example.com"): Promise<TestRealm> {
  const serverNodes = given ?? (await nodes());
  const name = `t${randomBytes(6).toString("hex")}`;
  const host = `${name}.${domain}`;
  const { db } = serverNodes[0].ctx;
  const { id } = await transaction(db, "make a test realm", (tx) => createRealm(tx, { string_id: name, name, host }));
  const realm = new TestRealm(id, host, [...serverNodes]);
  realm.admin = await realm.user("owner", { role: 100 });
  await db
    .updateTable("users")
    .set({ can_create_users: true, can_change_user_emails: true })
    .where("id", "=", realm.admin.id)
    .execute();
  return realm;
}
