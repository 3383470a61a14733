import { sendMessage } from "@skein/api/messages.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { Commands } from "../../test/commands.ts";
import { authorizationOf } from "../../test/files.ts";
import { startNode } from "../../test/nodes.ts";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm, success } from "../../test/realm.ts";
import { maintenanceHeader } from "./maintenance.ts";

const server = await startOwnServer();
const skein = new Commands(server.ctx);

test("in read-only mode all nodes refuse changes and serve reads, and clients learn of it at once", async () => {
  const { databaseUrl, logName } = server.ctx.config;
  const second = await startNode({
    environment: { SKEIN_DATABASE_URL: databaseUrl, SKEIN_LOG_NAME: logName, SKEIN_ROLES: "api" },
  });
  const realm = await newRealm([server, second]);
  const { admin } = realm;
  const queue = await admin.register(["realm"]);
  const headers = { authorization: authorizationOf(admin), "x-forwarded-host": realm.host };
  const poll = `${second.url}/api/v1/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  /** Completes when there is an event, or with a heartbeat after 48 seconds. */
  const messageOf = async (waiting: Promise<Response>) => {
    const given = (await waiting).headers.get(maintenanceHeader);
    return given && decodeURIComponent(given);
  };
  const send = (node: number) => admin.on(node).call(sendMessage, { type: "direct", to: [admin.id], content: "words" });
  const message = "Moving house 🏠 until 22:00";
  const waiting = fetch(poll, { headers });
  await expect.poll(async () => (await second.ctx.metrics.waitingPolls.get()).values[0]?.value).toBe(1);

  expect(await skein.json("maintenance", "on", "--message", message)).toEqual({ read_only: true, message });

  expect(await messageOf(waiting)).toBe(message);
  for (const node of [0, 1]) {
    await expect.poll(() => send(node)).toEqual({ result: "error", code: "READ_ONLY", msg: message });
    success(await admin.on(node).call(getOwnUser, {}));
  }
  await admin.register(["message"]);
  const form = { method: "POST", headers: { ...headers, accept: "text/html" } };
  const page = await fetch(`${server.url}/accounts/register/`, form);
  expect(page.status).toBe(503);
  expect(await page.text()).toContain(message);
  const webhook = await fetch(`${server.url}/api/v1/external/json`, { method: "POST", headers });
  expect([webhook.status, webhook.headers.get("retry-after")]).toEqual([503, "30"]);
  expect((await fetch(`${server.url}/login/`, form)).status).not.toBe(503);
  expect(await skein.text("maintenance", "status")).toContain(message);

  // It was not waiting when the message changed.
  expect(await messageOf(fetch(poll, { headers }))).toBe(message);
  await skein.json("maintenance", "off");

  await expect.poll(() => messageOf(fetch(poll, { headers }))).toBeNull();
  for (const node of [0, 1]) await expect.poll(() => send(node)).toMatchObject({ result: "success" });
  expect(await skein.json("maintenance", "status")).toEqual({ read_only: false });
});

test("jobs are counted by kind and state, and failed ones get new attempts", async () => {
  const { db } = server.ctx;
  const add = (kind: string, attempts: number) =>
    sql`
    with added as (select (graphile_worker.add_job(${kind}, max_attempts => 3)).id)
    select id from added`
      .execute(db)
      .then(async ({ rows }) => {
        const { id } = rows[0] as { id: number }; // as selected
        await sql`update graphile_worker._private_jobs set attempts = ${attempts}, last_error = 'no route' where id = ${id}`.execute(
          db,
        );
        return id;
      });
  const [given, waiting, other] = [await add("write letters", 3), await add("write letters", 0), await add("sing", 3)];
  const kinds = async () => {
    const all = (await skein.json("jobs", "list")) as unknown as { kind: string }[]; // a list
    return all.filter(({ kind }) => kind === "write letters" || kind === "sing");
  };

  expect(await kinds()).toMatchObject([
    { kind: "sing", failed: 1, waiting: 0, oldest_due_seconds: null },
    { kind: "write letters", failed: 1, waiting: 1, oldest_due_seconds: expect.any(Number) },
  ]);
  expect(await skein.json("jobs", "list", "--state", "failed", "--kind", "sing")).toMatchObject([
    { id: other, attempts: 3, last_error: "no route" },
  ]);
  expect(await skein.json("jobs", "retry", "--kind", "write letters")).toEqual({ retried: [given] });

  expect(await kinds()).toMatchObject([{ failed: 1 }, { kind: "write letters", failed: 0, waiting: 2 }]);
  expect(await skein.json("jobs", "retry", "--ids", `${other},${waiting}`)).toEqual({ retried: [waiting, other] });
  expect(await skein.json("jobs", "retry", "--all")).toEqual({ retried: [] });
  await expect(skein.text("jobs", "retry")).rejects.toThrow("Choose jobs");
});

test("figures count people, messages by day and storage", async () => {
  const realm = await newRealm([server]);
  const { admin } = realm;
  success(await admin.call(sendMessage, { type: "direct", to: [admin.id], content: "words" }));
  const [shortName = ""] = realm.host.split(".");
  const today = new Date().toISOString().slice(0, 10);

  const figures = await skein.json("stats", "--realm", shortName, "--days", "2");

  expect(figures).toMatchObject({ organizations: 1, people: 1, messages: 1, files: 0, file_bytes: 0 });
  expect(figures["messages_per_day"]).toMatchObject([{ messages: 0 }, { day: today, messages: 1 }]);
  expect(Number((await skein.json("stats"))["people"])).toBeGreaterThan(1);
});
