/**
 * Separate engines for one test, in their own folder, with one node: for tests that stop, replace or restore an engine while
 * the node keeps running. Everything is removed after the test.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual, promisify } from "node:util";
import { getEvents } from "@skein/api/registration.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { inject, onTestFinished } from "vitest";
import type { App } from "../src/app.ts";
import { startEngines, stopEngines } from "../src/platform/engines/engines.ts";
import { startNats, stopNats } from "../src/platform/engines/nats.ts";
import { startPostgres, stopPostgres } from "../src/platform/engines/postgres.ts";
import { copyFolder } from "./clusters.ts";
import { startNode, stopNode } from "./nodes.ts";
import { newRealm, success, type TestQueue, type TestRealm } from "./realm.ts";

const run = promisify(execFile);

/** A folder for engines, which are stopped and deleted at the end. */
export async function engineFolder(): Promise<string> {
  const dir = await mkdtemp(join(inject("scratchFolder"), "own-"));
  await run("chmod", ["711", dir]); // the engines may run as another user, which needs to traverse this folder
  onTestFinished(async () => {
    await stopEngines(dir);
    await rm(dir, { recursive: true, force: true });
  });
  return dir;
}

export class OwnEngines {
  readonly dir: string;
  readonly postgresUrl: string;
  readonly natsUrl: string;
  readonly #ports: { postgres: number; nats: number };
  #node: (App & { url: string }) | undefined;

  private constructor(
    dir: string,
    urls: { postgresUrl: string; natsUrl: string },
    ports: { postgres: number; nats: number },
  ) {
    this.dir = dir;
    this.postgresUrl = urls.postgresUrl;
    this.natsUrl = urls.natsUrl;
    this.#ports = ports;
  }

  /** `prepare` gets the empty folder before the engines start. */
  static async start(prepare?: (dir: string) => Promise<void>): Promise<OwnEngines> {
    const dir = await engineFolder();
    await prepare?.(dir);
    const { postgresUrl, natsUrl, postgres, nats } = await startEngines(dir, { fsync: false });
    return new OwnEngines(dir, { postgresUrl, natsUrl }, { postgres: postgres.port, nats: nats.port });
  }

  get node(): App & { url: string } {
    if (!this.#node) throw new Error("no node was started");
    return this.#node;
  }

  async startNode(environment: Record<string, string> = {}, { isAwaited = true } = {}): Promise<App & { url: string }> {
    const node = await startNode({
      isAwaited,
      environment: {
        SKEIN_DATABASE_URL: this.postgresUrl,
        SKEIN_NATS_URL: this.natsUrl,
        SKEIN_ROLES: "api,relay",
        ...environment,
      },
    });
    this.#node = node;
    onTestFinished(async () => {
      if (this.#node === node) await this.stopNode();
    });
    return node;
  }

  async stopNode(): Promise<void> {
    const { node } = this;
    this.#node = undefined;
    await stopNode(node);
  }

  async startPostgres(dir = this.dir): Promise<void> {
    await startPostgres(dir, { port: this.#ports.postgres, fsync: false });
  }

  async stopPostgres(): Promise<void> {
    await stopPostgres(this.dir);
  }

  async startNats(): Promise<void> {
    await startNats(this.dir, { port: this.#ports.nats });
  }

  async stopNats(): Promise<void> {
    await stopNats(this.dir);
  }

  /** Copies the data of a stopped engine, to restore it later. */
  async keepCopy(engine: "postgres" | "nats"): Promise<void> {
    await rm(join(this.dir, `${engine}.copy`), { recursive: true, force: true });
    await copyFolder(join(this.dir, engine), join(this.dir, `${engine}.copy`));
  }

  async putBackCopy(engine: "postgres" | "nats"): Promise<void> {
    await rm(join(this.dir, engine), { recursive: true });
    await copyFolder(join(this.dir, `${engine}.copy`), join(this.dir, engine));
  }

  async epoch(): Promise<number> {
    return (await this.node.ctx.db.selectFrom("event_log").select("epoch").executeTakeFirstOrThrow()).epoch;
  }
}

/**
 * A user who sends messages to themselves and reads their events. Every queue must receive all messages acknowledged since
 * its registration, once, in order, with their text, and nothing else.
 */
export class Ledger {
  readonly realm: TestRealm;
  #acknowledged: { id: number; text: string }[] = [];

  private constructor(realm: TestRealm) {
    this.realm = realm;
  }

  static async open(node: App & { url: string }): Promise<Ledger> {
    return new Ledger(await newRealm([node]));
  }

  /** The same user on a restarted node. */
  on(node: App & { url: string }): Ledger {
    this.realm.nodes.splice(0, this.realm.nodes.length, node);
    const client = this.realm.client(node, { email: this.realm.admin.email, apiKey: this.realm.admin.apiKey });
    this.realm.admin.on = () => client;
    return this;
  }

  async send(...texts: string[]): Promise<number[]> {
    const ids: number[] = [];
    for (const content of texts) {
      const { admin } = this.realm;
      const { id } = success(await admin.call(sendMessage, { type: "direct", to: [admin.id], content }));
      this.#acknowledged.push({ id, text: content });
      ids.push(id);
    }
    return ids;
  }

  /** Registers a queue as soon as the server allows it. */
  async follow(): Promise<FollowedQueue> {
    const since = this.#acknowledged.length;
    let queue: TestQueue | undefined;
    const isRegistered = async () => {
      queue = await this.realm.admin.register(["message"], [], { apply_markdown: false }).catch(() => undefined);
      return queue !== undefined;
    };
    await until("a queue can be registered", isRegistered);
    if (!queue) throw new Error("unreachable: the line above ends with a queue");
    return { queue, since };
  }

  /** Reads up to the newest acknowledged message, and checks that there is nothing else. */
  async verify({ queue, since }: FollowedQueue): Promise<void> {
    const given: { id: number; text: string }[] = [];
    const expected = this.#acknowledged.slice(since);
    while (given.length < expected.length) {
      const { message } = await queue.nextOf("message");
      given.push({ id: message.id, text: message.content });
    }
    for (const event of await queue.all())
      if (event.type === "message") given.push({ id: event.message.id, text: event.message.content });
    if (!isDeepStrictEqual(given, expected))
      throw new Error(`the queue received ${JSON.stringify(given)} instead of ${JSON.stringify(expected)}`);
  }

  /** Forgets messages that the database has lost. */
  forgetLost(...ids: number[]): void {
    this.#acknowledged = this.#acknowledged.filter(({ id }) => !ids.includes(id));
  }

  /** Waits until the server no longer knows the queue. */
  async expectExpired({ queue }: FollowedQueue): Promise<void> {
    const read = async () => {
      const { admin } = this.realm;
      const answer = await admin
        .call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: true })
        .catch(() => undefined);
      return answer?.result === "error" && answer.code === "BAD_EVENT_QUEUE_ID";
    };
    await until("the queue has expired", read);
  }
}

const patienceMilliseconds = 60_000;

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await delay(50);
  }
}

export interface FollowedQueue {
  queue: TestQueue;
  /** The number of messages acknowledged before its registration. */
  since: number;
}
