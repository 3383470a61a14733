/**
 * Uses an empty server as its first people would. Above all this needs every part that is bundled in a way of its own:
 * native packages, files that are read at run time, the thread that rates passwords, the web client.
 */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Skein } from "./commands.ts";
import type { Owner } from "./probe.ts";

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** `lib` is the release's folder of that name. Returns the owner of the new organization. */
export async function useServer(url: string, skein: Skein, lib: string): Promise<Owner> {
  await skein("realm", "create", "harbor", "--name", "Harbor");
  const weak = skein("user", "create", "weak@example.com", "--name", "Weak", "--password", "password");
  await assert.rejects(weak, /password/i, "a password that is guessed at once");
  await skein("user", "create", "owner@example.com", "--name", "Olive Owner", "--role", "owner");
  const key = (await skein("user", "api-key", "owner@example.com")).trim();
  const authorization = `Basic ${Buffer.from(`owner@example.com:${key}`).toString("base64")}`;

  const call = async (method: string, path: string, params: Record<string, string> | FormData = {}) => {
    const form = params instanceof FormData ? params : new URLSearchParams(params);
    const isRead = method === "GET" && form instanceof URLSearchParams;
    const target = `${url}/api/v1${path}${isRead ? `?${form}` : ""}`;
    const response = await fetch(target, { method, headers: { authorization }, ...(isRead ? {} : { body: form }) });
    const body = (await response.json()) as Record<string, unknown>;
    assert.equal(body["result"], "success", `${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  };

  await call("GET", "/server_settings");
  await call("POST", "/users/me/subscriptions", { subscriptions: JSON.stringify([{ name: "arrivals" }]) });
  const { queue_id, last_event_id } = await call("POST", "/register", {
    event_types: '["message"]',
    apply_markdown: "true",
  });
  const content = "```python\nprint(1)\n```\n\n$$x^2$$";
  const { id } = await call("POST", "/messages", { type: "channel", to: '"arrivals"', topic: "today", content });
  const { events } = (await call("GET", "/events", {
    queue_id: String(queue_id),
    last_event_id: String(last_event_id),
  })) as { events: { message: { id: number; content: string } }[] };
  const received = events.find(({ message }) => message.id === id)?.message.content ?? "";
  assert.match(received, /<code>.*<span class="[a-z]+">print/s, "code is highlighted");
  assert.match(received, /class="katex"/, "math is rendered");

  const form = new FormData();
  form.set("file", new Blob([picture], { type: "image/png" }), "picture.png");
  await call("POST", "/users/me/avatar", form);

  for (const path of ["/login/", "/api/docs", "/api/openapi.json", await anAsset(lib)])
    assert.equal((await fetch(url + path)).status, 200, path);
  return { email: "owner@example.com", key };
}

async function anAsset(lib: string): Promise<string> {
  const script = (await readdir(join(lib, "web/dist/assets"))).find((name) => name.endsWith(".js"));
  assert.ok(script !== undefined, "the web client is there");
  return `/assets/${script}`;
}
