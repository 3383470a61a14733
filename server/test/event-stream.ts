/** Reads a stream of events as a client does, and can stop in the middle of anything. */
import { get, type IncomingMessage } from "node:http";
import type { QueuedEvent } from "@skein/api/events.ts";
import { onTestFinished } from "vitest";
import { authorizationOf } from "./files.ts";
import type { TestQueue, TestRealm } from "./realm.ts";

export interface Frame {
  /** "message" unless the frame names another one. */
  event: string;
  id: number | undefined;
  data: string | undefined;
}

/** The complete frames in this text, which may end in the middle of one. */
export function framesIn(text: string): Frame[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((block) => {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const id = field("id");
      return {
        event: field("event") ?? "message",
        id: id === undefined ? undefined : Number(id),
        data: field("data"),
      };
    });
}

export const eventsIn = (frames: Frame[]): QueuedEvent[] =>
  frames
    .filter(({ event, data }) => event === "message" && data !== undefined)
    .map(({ data = "" }) => JSON.parse(data) as QueuedEvent); // as the server declares it

interface OpenOptions {
  node?: number;
  url?: string;
  /** The header; the default is the parameter, with the queue's own position. */
  lastEventId?: string;
  headers?: Record<string, string>;
  surface?: "/api/v1" | "/json";
}

export class TestStream {
  readonly response: IncomingMessage;
  text = "";
  isOver = false;
  #changed = (): void => undefined;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      this.text += text;
      this.#changed();
    });
    response.on("error", () => undefined);
    response.on("close", () => {
      this.isOver = true;
      this.#changed();
    });
    onTestFinished(() => this.kill());
  }

  /** Returns when the response has begun. */
  static async open(queue: TestQueue, options: OpenOptions = {}): Promise<TestStream> {
    const { realm } = queue.user;
    const { node = 0, lastEventId, surface = "/api/v1" } = options;
    const site = options.url ?? siteOf(realm, node);
    const position = lastEventId === undefined ? `&last_event_id=${queue.lastEventId}` : "";
    const headers = {
      ...(options.headers ?? { authorization: authorizationOf(queue.user) }),
      "x-forwarded-host": realm.host,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const url = `${site}${surface}/events/stream?queue_id=${queue.id}${position}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent: false }, resolve).on("error", reject);
    });
    return new TestStream(response);
  }

  get frames(): Frame[] {
    return framesIn(this.text);
  }

  get events(): QueuedEvent[] {
    return eventsIn(this.frames);
  }

  /** The position from which a client would resume. */
  get position(): number | undefined {
    return this.frames.findLast(({ id }) => id !== undefined)?.id;
  }

  /** The ids of the messages received so far. */
  get messageIds(): number[] {
    return this.events.flatMap((event) => (event.type === "message" ? [event.message.id] : []));
  }

  /** Waits until this holds; fails if the stream ends before. */
  async until(isDone: (stream: this) => boolean): Promise<this> {
    while (!isDone(this)) {
      if (this.isOver) throw new Error(`the stream ended: ${this.text.slice(-500)}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
    return this;
  }

  /** The last frame, once the stream has ended. */
  async end(): Promise<{ event: string | undefined; data: unknown }> {
    while (!this.isOver) await new Promise<void>((resolve) => (this.#changed = resolve));
    const last = this.frames.at(-1);
    return { event: last?.event, data: JSON.parse(last?.data ?? "null") as unknown };
  }

  kill(): void {
    this.response.destroy();
  }
}

function siteOf({ nodes }: TestRealm, node: number): string {
  const site = nodes[node % nodes.length]?.url;
  if (site === undefined) throw new Error("a realm has at least one node");
  return site;
}
