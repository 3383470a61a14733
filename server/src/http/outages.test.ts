/** PostgreSQL is unreachable or too slow: a small proxy in front of it can be closed. */
import { createServer, connect as dial, type AddressInfo, type Socket } from "node:net";
import pg from "pg";
import { sql } from "kysely";
import { expect, inject, onTestFinished, test } from "vitest";
import { authorizationOf } from "../../test/files.ts";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestRealm } from "../../test/realm.ts";

/** Forwards connections to PostgreSQL while it is open. */
async function gate() {
  const target = new URL(inject("postgresUrl"));
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const upstream = dial(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port); // it listens
  return {
    url: url.href,
    shut: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
    open: () => {
      isOpen = true;
    },
  };
}

type Node = Awaited<ReturnType<typeof startNode>>;

const send = (node: Node, realm: TestRealm) =>
  fetch(`${node.url}/api/v1/users/me/alert_words`, {
    method: "POST",
    headers: { authorization: authorizationOf(realm.admin), "x-forwarded-host": realm.host },
    body: new URLSearchParams({ alert_words: '["word"]' }),
  });

test("while PostgreSQL is unreachable, requests get 503 with Retry-After, and work again when it is back", async () => {
  const { url, shut, open } = await gate();
  const realm = await newRealm();
  const node = await startNode({ environment: { SKEIN_DATABASE_URL: url, SKEIN_ROLES: "api" } });
  expect((await send(node, realm)).status).toBe(200);

  shut();
  const away = await Promise.all([send(node, realm), send(node, realm)]);
  open();

  for (const answer of away) {
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ result: "error", code: "SERVICE_UNAVAILABLE" });
  }
  await expect.poll(async () => (await send(node, realm)).status).toBe(200);
});

test("a request that waits too long for a lock gets 503, and statements have a timeout", async () => {
  const realm = await newRealm();
  const timeouts = { SKEIN_LOCK_TIMEOUT_SECONDS: "1", SKEIN_STATEMENT_TIMEOUT_SECONDS: "30" };
  const node = await startNode({ environment: { ...timeouts, SKEIN_ROLES: "api" } });
  const holder = new pg.Client({ connectionString: inject("postgresUrl") });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("begin");
  await holder.query("select from users where id = $1 for update", [realm.admin.id]);

  const waited = await send(node, realm);
  await holder.query("rollback");

  expect(waited.status).toBe(503);
  expect((await send(node, realm)).status).toBe(200);
  const { rows } = await sql<{ statement: string; transaction: string }>`
    select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as transaction`.execute(node.ctx.db);
  expect(rows).toEqual([{ statement: "30s", transaction: "1min" }]);
});
