/** Sends requests exactly as a client does, to the nodes in turn, and returns whole responses. */
import { authorizationOf } from "../files.ts";
import { holdAgainstReference, type TestRealm, type TestUser } from "../realm.ts";

export interface Exchange {
  status: number;
  headers: Headers;
  /** Empty if the response is not JSON. */
  json: Record<string, unknown>;
}

export type WireEvent = Record<string, unknown>;

export interface WireRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
}

let turn = 0;

export async function exchange(realm: TestRealm, path: string, request: WireRequest = {}): Promise<Exchange> {
  const node = realm.nodes[turn++ % realm.nodes.length];
  const url = new URL(`${node?.url}${path}`);
  const headers = { "x-forwarded-host": realm.host, ...request.headers };
  const answer = await fetch(url, { ...request, headers, redirect: "manual" });
  await holdAgainstReference(url, request.method ?? "GET", answer);
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") && text !== "";
  return { status: answer.status, headers: answer.headers, json: isJson ? (JSON.parse(text) as Exchange["json"]) : {} };
}

export type Form = Record<string, string>;

/** A client with Basic authentication that sends parameters of GET in the query, and all others in a form. */
export class ClientProgram {
  readonly user: TestUser;
  readonly agent: string;

  constructor(user: TestUser, agent: string) {
    this.user = user;
    this.agent = agent;
  }

  get headers(): Record<string, string> {
    return { authorization: authorizationOf(this.user), "user-agent": this.agent };
  }

  /** A GET of a path below /api/v1. */
  get(path: string, query: Form = {}): Promise<Exchange> {
    return exchange(this.user.realm, withQuery(`/api/v1${path}`, query), { headers: this.headers });
  }

  send(method: "POST" | "PATCH" | "PUT" | "DELETE", path: string, form: Form = {}): Promise<Exchange> {
    return exchange(this.user.realm, `/api/v1${path}`, {
      method,
      headers: this.headers,
      body: new URLSearchParams(form),
    });
  }

  post(path: string, form: Form = {}): Promise<Exchange> {
    return this.send("POST", path, form);
  }

  /** The JSON of a response that clients treat as success: only status 200. */
  async answer(asked: Promise<Exchange>): Promise<Exchange["json"]> {
    const { status, json } = await asked;
    if (status !== 200 || json["result"] !== "success" || json["msg"] !== "")
      throw new Error(`rejected with ${status}: ${JSON.stringify(json)}`);
    return json;
  }

  /** The events of a queue, one by one, forever. */
  async *follow({ queue_id, last_event_id }: Exchange["json"]): AsyncGenerator<WireEvent, never> {
    for (let last = String(last_event_id); ;) {
      const query = { queue_id: String(queue_id), last_event_id: last, dont_block: "false" };
      const { events } = await this.answer(this.get("/events", query));
      // As documented.
      for (const event of events as WireEvent[]) {
        last = String(event["id"]);
        yield event;
      }
    }
  }
}

/** The next event of this type, and op if given. */
export async function nextOf(events: AsyncGenerator<WireEvent, never>, type: string, op?: string): Promise<WireEvent> {
  for (;;) {
    const { value } = await events.next();
    if (value["type"] === type && (op === undefined || value["op"] === op)) return value;
  }
}

const withQuery = (path: string, query: Form): string => {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
};

/** A handwritten multipart body, which our libraries would not produce. */
export function multipart(parts: { head: string; body: string }[]): { type: string; body: Uint8Array<ArrayBuffer> } {
  const boundary = "----------------------------493019283746";
  const text = parts.map(({ head, body }) => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`).join("");
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Uint8Array.from(Buffer.from(`${text}--${boundary}--\r\n`)),
  };
}

/** The names that an object lacks. */
export const missing = (object: unknown, names: string): string[] =>
  names.split(/\s+/).filter((name) => name !== "" && !Object.hasOwn(object as object, name));
