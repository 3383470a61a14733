/** Requests of people other than the reader, whose effects the reader's window shows. */
import type { Account } from "../request.ts";

export async function fetchApi(
  site: string,
  { email, key }: Account,
  method: "POST" | "PATCH",
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const response = await fetch(`${site}/api/v1${path}`, {
    method,
    headers: { authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` },
    body: new URLSearchParams(fields),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
