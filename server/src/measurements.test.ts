import { endpoints } from "@skein/api/all.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import { createBot } from "@skein/api/bots.ts";
import { getLinkifiers } from "@skein/api/linkifiers.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../test/actions.ts";
import { readMetrics, readSum, sumOf } from "../test/metrics.ts";
import { startNode } from "../test/nodes.ts";
import { doJobs, startOwnServer } from "../test/own-server.ts";
import { newRealm, success, TestUser } from "../test/realm.ts";
import { answering, startWebhookTarget } from "../test/webhook-target.ts";
import { deliverMail } from "./domain/base/mail/jobs.ts";
import { deliverWebhook } from "./domain/integrations/outgoing-webhooks/jobs.ts";
import { hashPassword } from "./domain/people/auth/passwords.ts";
import { routeGroup } from "./http/route-groups.ts";
import { enqueue } from "./jobs/job.ts";
import { transaction } from "./platform/db/transaction.ts";

const [server, realm] = await (async () => {
  const own = await startOwnServer({ SKEIN_DATABASE_CONNECTIONS: "2" });
  return [own, await newRealm([own])] as const;
})();
const count = (name: string, labels: Record<string, string> = {}) => readSum(server.url, name, labels);

test("every endpoint belongs to a route group", () => {
  const groups = endpoints.map(({ path, method }) => [path, routeGroup(`/api/v1${path}`, method)]);

  expect(groups.filter(([, group]) => group === "other")).toEqual([]);
  expect(Object.fromEntries(groups)).toMatchObject({
    "/users/me/{stream_id}/topics": "channels",
    "/realm": "organization",
  });
  expect(routeGroup("/api/v1/messages", "POST")).toBe("send");
  expect(routeGroup("/json/messages", "GET")).toBe("fetch");
});

test("requests are measured by route group and status class, failed ones by operation, too", async () => {
  const [hamlet, channel] = [await realm.user("hamlet"), await channelOf([realm.admin], "traffic")];
  await sendToChannel(realm.admin, channel);
  await fetch(`${server.url}/nowhere/${"x".repeat(20)}`);
  await hamlet.request("POST", "/messages", { type: "direct" });
  await sql`alter table realm_linkifiers rename to gone`.execute(server.ctx.db);
  expect(await hamlet.call(getLinkifiers, {})).toMatchObject({ msg: "Internal server error" });
  await sql`alter table gone rename to realm_linkifiers`.execute(server.ctx.db);

  const samples = await readMetrics(server.url);

  expect(sumOf(samples, "skein_http_request_seconds_count", { group: "send", class: "2xx" })).toBe(1);
  expect(sumOf(samples, "skein_http_request_seconds_count", { group: "send", class: "4xx" })).toBe(1);
  expect(sumOf(samples, "skein_http_answers_total", { group: "organization", class: "5xx" })).toBe(1);
  expect(sumOf(samples, "skein_http_operations_total", { operation: "send-message", class: "4xx" })).toBe(1);
  expect(sumOf(samples, "skein_http_operations_total", { operation: "get-linkifiers", class: "5xx" })).toBe(1);
  expect(sumOf(samples, "skein_http_answers_total", { group: "other", class: "4xx" })).toBe(1);
  expect(samples.filter(({ labels }) => JSON.stringify(labels).includes("xxx"))).toEqual([]);
});

test("registrations and the delivery of events are measured, and without traffic a canary's", async () => {
  const reader = await realm.user("reader");
  const registered = await count("skein_registration_seconds_count", { outcome: "done" });
  const queue = await reader.register(["message"]);

  const arrived = queue.nextOf("message");
  await expect.poll(() => count("skein_waiting_polls")).toBe(1);
  await sendDirect(realm.admin, [reader]);
  await arrived;

  expect(await count("skein_registration_seconds_count", { outcome: "done" })).toBe(registered + 1);
  expect(await count("skein_delivery_seconds_count", { traffic: "events" })).toBeGreaterThanOrEqual(1);
  expect(await count("skein_delivery_seconds_bucket", { traffic: "events", le: "10" })).toBeGreaterThanOrEqual(1);
  expect(await count("skein_relay_delay_seconds_count")).toBeGreaterThan(0);
  const canaries = await count("skein_delivery_seconds_count", { traffic: "canary" });
  await expect.poll(() => count("skein_delivery_seconds_count", { traffic: "canary" })).toBeGreaterThan(canaries);
});

test("a node that starts does not measure entries that were delivered before", async () => {
  const { databaseUrl, logName } = server.ctx.config;
  // An entry from before the node's start that took long, as far as the node can see.
  await expect.poll(() => server.ctx.events.head).toBeGreaterThan(2);
  const environment = { SKEIN_DATABASE_URL: databaseUrl, SKEIN_LOG_NAME: logName, SKEIN_ROLES: "api" };
  const node = await startNode({ environment });

  await expect.poll(() => readSum(node.url, "skein_delivery_seconds_count")).toBeGreaterThan(0);

  const samples = await readMetrics(node.url);
  expect(sumOf(samples, "skein_delivery_seconds_count")).toBeLessThan(server.ctx.events.head);
  // What concerns the whole server is left to relays and workers.
  expect(samples.filter(({ name }) => /^skein_(jobs|queues|slot|relay_lag)/.test(name))).toEqual([]);
});

test("sign-ins are counted by method and result", async () => {
  const user = await realm.user("guildenstern");
  const password = "Basalt-7f3a-tide";
  const password_hash = await hashPassword(password);
  await server.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", user.id).execute();
  const signIn = (secret: string) => realm.client(server).call(fetchApiKey, { username: user.email, password: secret });

  success(await signIn(password));
  await signIn("wrong");
  await signIn("wrong again");

  expect(await count("skein_sign_ins_total", { method: "password", result: "success" })).toBe(1);
  expect(await count("skein_sign_ins_total", { method: "password", result: "wrong credentials" })).toBe(2);
});

test("mails and webhooks are counted by outcome", async () => {
  const target = await startWebhookTarget(answering({ response_not_required: true }));
  const newBot = async (name: string, bot_type: number, more = {}) => {
    const bot = { full_name: name, short_name: name, bot_type, ...more };
    const { user_id, api_key } = success(await realm.admin.call(createBot, bot));
    return new TestUser(realm, user_id, `${name}-bot@${realm.host}`, name, api_key);
  };
  const outgoing = await newBot("outgoing", 3, { payload_url: target.url() });
  const incoming = await newBot("incoming", 2);
  const deliver = (integration: string, key: string) =>
    fetch(`${server.url}/api/v1/external/${integration}?api_key=${key}`, {
      method: "POST",
      headers: { "x-forwarded-host": realm.host, "content-type": "application/json" },
      body: '{"a": 1}',
    });
  const mail = { id: "one", realm_id: realm.id, to: "a@example.com", subject: "s", text: "t", html: "<p>t</p>" };
  await transaction(server.ctx.db, "test", (tx) => enqueue(tx, deliverMail, mail));

  await sendDirect(realm.admin, [outgoing]);
  await doJobs(server, deliverWebhook);
  await doJobs(server, deliverMail);
  await deliver("json", incoming.apiKey);
  await deliver("json", "0123456789abcdef0123456789abcdef");

  expect(await count("skein_outgoing_webhook_seconds_count", { outcome: "accepted" })).toBe(1);
  expect(await count("skein_incoming_webhooks_total", { integration: "json", outcome: "accepted" })).toBe(1);
  expect(await count("skein_incoming_webhooks_total", { integration: "json", outcome: "refused" })).toBe(1);
  expect(await count("skein_mails_total", { outcome: "sent" })).toBe(1);
});

test("waits for a connection, waiting jobs, queues and the slot are measured", async () => {
  const { db } = server.ctx;
  const before = await count("skein_pool_wait_seconds_count", { pool: "requests" });
  const held = [await db.startTransaction().execute(), await db.startTransaction().execute()];
  const waiting = sql`select`.execute(db);
  expect(server.ctx.metrics.registry.getSingleMetric("skein_pool_waiting")).toBeDefined();
  for (const each of held) await each.rollback().execute();
  await waiting;
  const due = { id: "x", realm_id: realm.id, to: "a@example.com", subject: "s", text: "t", html: "h" };
  await transaction(db, "test", (tx) => enqueue(tx, deliverMail, due, { runAt: new Date(Date.now() - 60_000) }));

  expect(await count("skein_pool_wait_seconds_count", { pool: "requests" })).toBeGreaterThan(before);
  await expect.poll(() => count("skein_jobs_waiting", { name: deliverMail.name })).toBe(1);
  const samples = await readMetrics(server.url);
  expect(sumOf(samples, "skein_jobs_oldest_seconds", { name: deliverMail.name })).toBeGreaterThanOrEqual(60);
  expect(sumOf(samples, "skein_jobs_given_up", { name: deliverMail.name })).toBe(0);
  expect(sumOf(samples, "skein_queues", { unread_for: "1m" })).toBeGreaterThanOrEqual(1);
  expect(sumOf(samples, "skein_slot_retained_bytes")).toBeGreaterThan(0);
  expect(sumOf(samples, "skein_relay_lag_bytes")).toBeGreaterThanOrEqual(0);
  expect(sumOf(samples, "skein_log_epoch")).toBe(1);
  expect(sumOf(samples, "skein_tail_silence_seconds")).toBeLessThan(10);
  expect(Math.abs(sumOf(samples, "skein_clock_offset_seconds") ?? Infinity)).toBeLessThan(1);
  for (const check of ["postgresql", "event_log", "relay"])
    expect(sumOf(samples, "skein_health_ok", { check })).toBe(1);
});
