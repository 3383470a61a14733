/** Graceful shutdown of a server process. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { authorizationOf, uploadAs } from "../test/files.ts";
import { startOwnServer, type OwnServer } from "../test/own-server.ts";
import { newRealm, success, type TestUser } from "../test/realm.ts";
import { startProcess, type ServerProcess } from "../test/server-process.ts";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});

/** Sends the process a SIGTERM as soon as its server listens, before it has started completely. */
const stopWhenListening = `data:text/javascript,${encodeURIComponent(`
  import { Server } from "node:http";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    this.once("listening", () => process.kill(process.pid, "SIGTERM"));
    return listen.apply(this, args);
  };
`)}`;

/** A realm whose people call the process. */
async function newRealmOn(process: ServerProcess) {
  return newRealm([{ ...server, url: process.url }]);
}

/** A request that is watched more closely than fetch allows. */
function ask(url: string, user: TestUser, method = "GET", headers: Record<string, string> = {}) {
  const own = { authorization: authorizationOf(user), "x-forwarded-host": user.realm.host };
  const sent = request(url, { method, headers: { ...own, ...headers } });
  const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on("response", resolve).on("error", reject));
  answer.catch(() => undefined);
  if (method === "GET") sent.end();
  return { sent, answer };
}

const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/health/live`).then(
    () => true,
    () => false,
  );

test("a message that is being sent when shutdown begins gets a response and is stored once", async () => {
  const leaving = await startProcess(server);
  const realm = await newRealmOn(leaving);
  const content = `held ${realm.host}`;
  const send = () =>
    realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content }).then((answer) => success(answer));

  // No message can be written while this lock is held.
  const holder = await server.ctx.db.startTransaction().execute();
  await sql`lock table messages in exclusive mode`.execute(holder);
  const sent = send();
  await expect.poll(() => waitingForLock()).toBe(1);
  leaving.child.kill("SIGTERM");
  await expect.poll(() => isListening(leaving.url)).toBe(false);
  await holder.rollback().execute();

  const { id } = await sent;
  expect(await leaving.ended).toBe(0);
  const stored = await server.ctx.db.selectFrom("messages").select("id").where("content", "=", content).execute();
  expect(stored).toEqual([{ id }]);
});

async function waitingForLock(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.ctx.db);
  return rows[0]?.waiting ?? 0;
}

test("an upload and a download in flight finish, and their connections are closed", async () => {
  const leaving = await startProcess(server);
  const realm = await newRealmOn(leaving);
  const stored = Buffer.alloc(20 * 1024 ** 2, "download ");
  const url = await uploadAs(realm.admin, { name: "large.bin", content: stored });

  const download = await ask(`${leaving.url}${url}`, realm.admin).answer;
  const boundary = "----part";
  const upload = ask(`${leaving.url}/api/v1/user_uploads`, realm.admin, "POST", {
    "content-type": `multipart/form-data; boundary=${boundary}`,
  });
  upload.sent.write(
    `--${boundary}\r\nContent-Disposition: form-data; name="filename"; filename="late.txt"\r\n\r\nfirst half, `,
  );
  download.pause();
  await new Promise((resolve) => upload.sent.once("socket", (socket) => socket.once("connect", resolve)));
  leaving.child.kill("SIGTERM");
  await expect.poll(() => isListening(leaving.url)).toBe(false);
  upload.sent.end(`second half\r\n--${boundary}--\r\n`);

  const answer = await upload.answer;
  expect(answer.headers.connection).toBe("close");
  const { url: late } = JSON.parse(await text(answer)) as { url: string };
  expect((await text(download)).length).toBe(stored.length);
  expect(await leaving.ended).toBe(0);
  const fetched = await fetch(`${server.url}${late}`, {
    headers: { authorization: authorizationOf(realm.admin), "x-forwarded-host": realm.host },
  });
  expect(await fetched.text()).toBe("first half, second half");
});

test("waiting reads are answered with a heartbeat, and the process ends without waiting for idle connections", async () => {
  const leaving = await startProcess(server, { environment: { SKEIN_SHUTDOWN_SECONDS: "600" } });
  const realm = await newRealmOn(leaving);
  const queue = await realm.admin.register(["message"]);

  const read = ask(`${leaving.url}/api/v1/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`, realm.admin);
  const waiting = async () =>
    /^skein_waiting_polls\S* (\d)$/m.exec(await (await fetch(`${leaving.url}/metrics`)).text())?.[1];
  await expect.poll(waiting).toBe("1");
  leaving.child.kill("SIGTERM");

  const answer = await read.answer;
  expect(answer.headers.connection).toBe("close");
  expect(JSON.parse(await text(answer))).toMatchObject({ result: "success", events: [{ type: "heartbeat" }] });
  expect(await leaving.ended).toBe(0);
});

test("the process ends although a connection has never carried a request", async () => {
  const environment = { SKEIN_SHUTDOWN_SECONDS: "600", SKEIN_REQUEST_TIMEOUT_SECONDS: "200" };
  const leaving = await startProcess(server, { environment });
  const { hostname, port } = new URL(leaving.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  await fetch(`${leaving.url}/health/live`); // by now the process has accepted it

  leaving.child.kill("SIGTERM");

  await once(socket, "close");
  expect(await leaving.ended).toBe(0);
});

test("before it closes its port, a process reports itself as not ready and keeps serving requests", async () => {
  const leaving = await startProcess(server, { environment: { SKEIN_DRAIN_DELAY_SECONDS: "2" } });
  const ready = async () => {
    const answer = await fetch(`${leaving.url}/health/ready`);
    return { status: answer.status, connection: answer.headers.get("connection"), body: await answer.json() };
  };
  expect(await ready()).toMatchObject({ status: 200, body: { status: "ok" } });

  leaving.child.kill("SIGTERM");

  await expect.poll(ready, { interval: 20 }).toMatchObject({
    status: 503,
    connection: "close",
    body: { status: "not ready", checks: { process: expect.stringContaining("stopping") } },
  });
  const realm = await newRealmOn(leaving);
  success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "still here" }));
  expect(await leaving.ended).toBe(0);
});

test("requests that do not finish in time are aborted, and the log reports it", async () => {
  const leaving = await startProcess(server, { environment: { SKEIN_SHUTDOWN_SECONDS: "1" } });
  const realm = await newRealmOn(leaving);
  const stuck = ask(`${leaving.url}/api/v1/messages`, realm.admin, "POST", {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": "1000",
  });
  stuck.sent.write("type=direct");
  await expect.poll(() => stuck.sent.socket?.bytesWritten ?? 0).toBeGreaterThan(0);
  await fetch(`${leaving.url}/health/live`); // by now the process has read what was written before

  leaving.child.kill("SIGTERM");

  await expect(stuck.answer).rejects.toThrow("socket hang up");
  expect(await leaving.ended).toBe(0);
  expect(leaving.log()).toContain("aborted requests");
});

test("a second signal ends the process at once", async () => {
  const leaving = await startProcess(server, { environment: { SKEIN_DRAIN_DELAY_SECONDS: "600" } });

  leaving.child.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${leaving.url}/health/ready`)).status).toBe(503);
  await expect
    .poll(async () => {
      leaving.child.kill("SIGTERM");
      return Promise.race([leaving.ended, Promise.resolve("running")]);
    })
    .toBe(143);
});

test("a server started by npx stops when npx is stopped, which ends only the shell between them", async () => {
  const serve = `${process.execPath} ${join(import.meta.dirname, "cli/main.ts")} serve; exit`;
  const environment = { npm_command: "exec" };
  const leaving = await startProcess(server, { environment, command: ["/bin/sh", "-c", serve] });

  leaving.child.kill("SIGTERM");

  await leaving.ended;
  await expect.poll(() => isListening(leaving.url)).toBe(false);
});

/** The system's Node, if it is too old to run the server; otherwise no wrapper process is involved. */
const olderNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  try {
    return Number(/^v(\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))?.[1]) < 24;
  } catch {
    return false; // not installed
  }
});
const launcher = join(import.meta.dirname, "../bin/skein.js");

test("a server that is told to stop while it starts shuts down in order", async () => {
  const environment = { NODE_OPTIONS: `--import ${stopWhenListening}` };
  const leaving = await startProcess(server, { environment });

  expect(await leaving.ended).toBe(0);
});

test.skipIf(olderNode === undefined)("signals and exit codes pass through an older Node", async () => {
  const leaving = await startProcess(server, { command: [olderNode ?? "", launcher, "serve"] });

  leaving.child.kill("SIGTERM");

  expect(await leaving.ended).toBe(0);
  expect(await isListening(leaving.url)).toBe(false);
});

test.skipIf(olderNode === undefined)("a server stops when the older Node that started it is killed", async () => {
  const leaving = await startProcess(server, { command: [olderNode ?? "", launcher, "serve"] });

  leaving.child.kill("SIGKILL");

  await expect.poll(() => isListening(leaving.url)).toBe(false);
});
