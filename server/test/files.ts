/** Uploads and downloads files as clients do. */
import type { TestRealm, TestUser } from "./realm.ts";

interface SentFile {
  name?: string;
  type?: string;
  content?: string | Buffer;
}

export const authorizationOf = ({ email, apiKey }: TestUser): string =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

/** Uploads a file and returns its URL. */
export async function uploadAs(user: TestUser, file: SentFile = {}): Promise<string> {
  const answer = await tryUpload(user, file);
  if (answer["result"] !== "success") throw new Error(`refused: ${JSON.stringify(answer)}`);
  return String(answer["url"]);
}

let turn = 0;

export async function tryUpload(
  user: TestUser,
  { name = "note.txt", type = "", content = "words" }: SentFile = {},
): Promise<Record<string, unknown>> {
  const body = new FormData();
  body.append("any_name", new Blob([typeof content === "string" ? content : new Uint8Array(content)], { type }), name);
  const node = user.realm.nodes[turn++ % user.realm.nodes.length];
  const headers = { authorization: authorizationOf(user), "x-forwarded-host": user.realm.host };
  const response = await fetch(`${node?.url}/api/v1/user_uploads`, { method: "POST", headers, body });
  return (await response.json()) as Record<string, unknown>; // always an object
}

/** Downloads with a user's credentials or without, alternating between nodes. */
export function fetchAs(
  who: TestUser | TestRealm,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: BodyInit } = {},
): Promise<Response> {
  const realm = "realm" in who ? who.realm : who;
  const node = realm.nodes[turn++ % realm.nodes.length];
  const credentials: Record<string, string> = "realm" in who ? { authorization: authorizationOf(who) } : {};
  const headers = { "x-forwarded-host": realm.host, ...credentials, ...init.headers };
  return fetch(`${node?.url}${path}`, { ...init, headers, redirect: "manual" });
}

export const statusFor = async (who: TestUser | TestRealm, path: string): Promise<number> =>
  (await fetchAs(who, path)).status;
