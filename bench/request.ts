/** API requests as bytes, built once and sent often. */
import type { Answer, Connection } from "./connection.ts";

export interface Account {
  id: number;
  email: string;
  key: string;
}

type Fields = Record<string, string | number | boolean>;

export function apiRequest(
  account: Account,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  fields: Fields = {},
): Buffer {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  const form = new URLSearchParams(texts).toString();
  const isGet = method === "GET";
  const target = isGet && form !== "" ? `${path}?${form}` : path;
  const body = isGet ? "" : form;
  const credentials = Buffer.from(`${account.email}:${account.key}`).toString("base64");
  const type = isGet ? "" : "Content-Type: application/x-www-form-urlencoded\r\n";
  return Buffer.from(
    `${method} /api/v1${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: skein-bench/1\r\n` +
      `Authorization: Basic ${credentials}\r\n${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export interface Place {
  channel: number;
  topic: string;
}

export const sendRequest = (sender: Account, { channel, topic }: Place, content: string): Buffer =>
  apiRequest(sender, "POST", "/messages", { type: "channel", to: channel, topic, content });

export const pollRequest = (reader: Account, queue: string, lastEventId: number, dontBlock = false): Buffer =>
  apiRequest(reader, "GET", "/events", { queue_id: queue, last_event_id: lastEventId, dont_block: dontBlock });

/** Sends a request and parses its JSON; an error response ends the measurement. */
export async function call<T>(connection: Connection, request: Buffer): Promise<T> {
  const answer = await connection.send(request);
  demandSuccess(answer);
  return JSON.parse(answer.body.toString()) as T; // the caller knows the endpoint's response
}

/** The events in the response to a read. */
export function readEvents(answer: Answer): { id: number; type: string }[] {
  demandSuccess(answer);
  return (JSON.parse(answer.body.toString()) as { events: { id: number; type: string }[] }).events; // as declared
}

export function demandSuccess({ status, body }: Answer): void {
  if (status !== 200) throw new Error(`the server responded with ${status}: ${body.toString().slice(0, 500)}`);
}

/** A message of typical length. */
export const messageText =
  "The nightly import ran through this time; two records were skipped because their dates lie in the future. " +
  "I will look at them after lunch.";
