import { randomBytes } from "node:crypto";
import { sendMessage } from "@skein/api/messages.ts";
import { expect, inject, onTestFinished, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm, success } from "../../test/realm.ts";
import { startProcess } from "../../test/server-process.ts";
import { startTcpProxy, type TcpProxy } from "../../test/tcp-proxy.ts";

async function get(url: string, path = "/health/ready") {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, body: (await answer.json()) as unknown };
}

/** The same address through a proxy. */
async function through(address: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(address);
  const proxy = await startTcpProxy(Number(url.port));
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

test("a node without an event log stays in service, and reports that no relay has created one", async () => {
  const log = `lone_${randomBytes(4).toString("hex")}`;
  const { url } = await startNode({ environment: { SKEIN_ROLES: "api", SKEIN_LOG_NAME: log }, isAwaited: false });

  expect(await get(url, "/health/live")).toMatchObject({ status: 200 });
  // At first it waits for the log, which a relay that starts at the same time would create.
  await expect
    .poll(() => get(url))
    .toEqual({
      status: 200,
      body: {
        status: "degraded",
        checks: { postgresql: "ok", event_log: expect.stringContaining("is a relay running?") },
      },
    });
  expect(await get(url, "/health")).toEqual({ status: 200, body: { result: "success", msg: "" } });
});

test("when NATS does not respond, a node logs it once and still stores messages", async () => {
  const server = await startOwnServer();
  const { proxy, url: natsUrl } = await through(inject("natsUrl"));
  const node = await startProcess(server, { environment: { SKEIN_NATS_URL: natsUrl } });
  const realm = await newRealm([{ ...server, url: node.url }]);
  await expect.poll(() => get(node.url)).toMatchObject({ status: 200, body: { status: "ok" } });

  proxy.hold();

  await expect
    .poll(() => get(node.url))
    .toMatchObject({
      status: 200,
      body: { status: "degraded", checks: { event_log: expect.stringContaining("is nats-server running") } },
    });
  success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "stored" }));
  await expect.poll(() => node.log()).toContain("clients receive no events");

  proxy.release();

  await expect.poll(() => get(node.url)).toMatchObject({ status: 200, body: { status: "ok" } });
  await expect.poll(() => node.log()).toContain("the event log is available again");
  expect(node.log().match(/clients receive no events/g)).toHaveLength(1);
});

test("a node starts while NATS is unreachable, and connects to it later", async () => {
  const server = await startOwnServer();
  const { proxy, url: natsUrl } = await through(inject("natsUrl"));
  proxy.hold();
  const node = await startProcess(server, { environment: { SKEIN_NATS_URL: natsUrl } });
  const realm = await newRealm([{ ...server, url: node.url }]);

  success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "stored" }));
  proxy.release();

  await expect.poll(() => get(node.url)).toMatchObject({ status: 200, body: { status: "ok" } });
  const queue = await realm.admin.register(["message"]);
  success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "delivered" }));
  expect(await queue.nextOf("message")).toMatchObject({ message: { content: "delivered" } });
});

test("without PostgreSQL a node is not ready, however PostgreSQL fails", async () => {
  const server = await startOwnServer();
  const { proxy, url } = await through(server.ctx.config.databaseUrl);
  const environment = { SKEIN_DATABASE_URL: url, SKEIN_LOG_NAME: server.ctx.config.logName, SKEIN_ROLES: "api" };
  const node = await startNode({ environment });

  proxy.hold();

  expect(await get(node.url)).toMatchObject({
    status: 503,
    body: { status: "not ready", checks: { postgresql: "PostgreSQL does not respond" } },
  });
  expect(await get(node.url, "/health")).toEqual({
    status: 500,
    body: { result: "error", msg: "The server is not ready", code: "SERVER_NOT_READY" },
  });
  proxy.release();
});

test("a node whose database connections are all busy is degraded, not down", async () => {
  const server = await startOwnServer({ SKEIN_DATABASE_CONNECTIONS: "2" });
  const { db } = server.ctx;
  const ends = await Promise.all([db.startTransaction().execute(), db.startTransaction().execute()]);

  const seen = await get(server.url);

  await Promise.all(ends.map((each) => each.rollback().execute()));
  expect(seen).toMatchObject({ status: 200, body: { status: "degraded" } });
});

test("relay-only and worker-only processes serve health and metrics", async () => {
  const server = await startOwnServer();
  const environment = { SKEIN_HEALTH_PORT: "0" };
  const [relay, worker] = await Promise.all([
    startProcess(server, { environment: { ...environment, SKEIN_ROLES: "relay" } }),
    startProcess(server, { environment: { ...environment, SKEIN_ROLES: "worker" } }),
  ]);

  await expect
    .poll(() => get(relay.healthUrl))
    .toEqual({ status: 200, body: { status: "ok", checks: { postgresql: "ok", relay: "standby" } } });
  await expect
    .poll(() => get(worker.healthUrl))
    .toEqual({ status: 200, body: { status: "ok", checks: { postgresql: "ok", worker: "running" } } });
  for (const { healthUrl } of [relay, worker]) {
    expect(await get(healthUrl, "/health/live")).toMatchObject({ status: 200 });
    expect(await (await fetch(`${healthUrl}/metrics`)).text()).toContain("skein_relay_active");
    expect((await fetch(`${healthUrl}/`)).status).toBe(404);
  }
});

test("with a separate health port, metrics are served only there", async () => {
  const server = await startOwnServer({ SKEIN_HEALTH_PORT: "0" });

  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${server.healthUrl}/metrics`)).status).toBe(200);
  expect(await get(server.url)).toEqual(await get(server.healthUrl ?? ""));
});
