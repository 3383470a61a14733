/** Audit logs are delivered to webhooks and syslog servers: every entry, in order, whoever fails or dies. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestinations,
  updateAuditDestination,
  type AuditDestination,
} from "@skein/api/audit-destinations.ts";
import { getAuditLog, type AuditEntry } from "@skein/api/audit-log.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { atEndOfFile } from "../../../../test/end-of-file.ts";
import { readMetrics, sumOf } from "../../../../test/metrics.ts";
import { startOwnServer, type OwnServer } from "../../../../test/own-server.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { startProcess } from "../../../../test/server-process.ts";
import { startWebhookTarget, type ReceivedCall, type WebhookTarget } from "../../../../test/webhook-target.ts";
import { deliverDue } from "./deliver.ts";
import { toSyslogMessage } from "./syslog.ts";
import { signatureOf } from "./webhook.ts";

/** It has no workers, so that each test says when entries are delivered. */
let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});
const deliver = (): Promise<void> => deliverDue(server.ctx);
/** As if the pause after a failure, and the claim of a worker that died, were over. */
const endPauses = async (): Promise<void> => {
  await sql`update audit_destinations set next_try_at = now(), claimed_until = null`.execute(server.ctx.db);
};

const change = async (user: TestUser, text: string): Promise<void> => {
  success(await user.call(updateRealm, { description: text }));
};
const add = async (user: TestUser, url: string, after?: number) =>
  success(await user.call(createAuditDestination, { url, ...(after === undefined ? {} : { after }) }));
const stateOf = async (user: TestUser): Promise<AuditDestination | undefined> =>
  success(await user.call(getAuditDestinations, {})).destinations[0];

const accepting = (status = 204) => startWebhookTarget((response) => response.writeHead(status).end());
const idsOf = ({ body }: ReceivedCall): number[] =>
  (JSON.parse(body) as { entries: AuditEntry[] }).entries.map(({ id }) => id); // as documented
const idsIn = ({ received }: WebhookTarget): number[] => received.flatMap(idsOf);

describe("a webhook", () => {
  test("receives what is written from now on, in order, signed; and its state is shown", async () => {
    const { admin } = await newRealm([server]);
    await change(admin, "before");
    const target = await accepting();

    const made = await add(admin, `${target.url()}?token=hidden`);
    for (const n of [1, 2, 3]) await change(admin, `after ${n}`);
    expect(await stateOf(admin)).toMatchObject({ delivered_id: 1, newest_id: 5, delivered_at: null });
    await deliver();

    expect(made).toMatchObject({ kind: "webhook", url: target.url(), is_enabled: true, delivered_at: null });
    expect(idsIn(target)).toEqual([2, 3, 4, 5]);
    const [first] = target.received;
    const { organization, entries } = JSON.parse(first?.body ?? "") as { organization: string; entries: AuditEntry[] };
    expect(organization).toMatch(/^https?:/);
    expect(entries).toEqual(success(await admin.call(getAuditLog, { after: 1 })).entries.toReversed());
    // Neither the log nor a list has the secret, or the rest of the URL.
    const log = JSON.stringify([success(await admin.call(getAuditLog, {})), await stateOf(admin)]);
    for (const secret of [made.secret ?? "", "hidden"]) expect(log).not.toContain(secret);
    const timestamp = String(first?.headers["x-skein-timestamp"]);
    expect(first?.path).toBe("/hook?token=hidden");
    expect(first?.headers["x-skein-signature"]).toBe(signatureOf(made.secret ?? "", timestamp, first?.body ?? ""));
    const state = await stateOf(admin);
    expect(state).toMatchObject({ delivered_id: 5, newest_id: 5, error: null, failed_at: null, next_try_at: null });
    expect(state?.delivered_at).not.toBeNull();
  });

  test("that fails is tried again later, from where it was, and others are not held up", async () => {
    const { admin } = await newRealm([server]);
    let status = 500;
    const failing = await startWebhookTarget((response) => response.writeHead(status).end("no"));
    const working = await accepting();
    for (const { url } of [failing, working]) await add(admin, url());
    await change(admin, "one");

    await deliver();
    expect(idsIn(working)).toEqual([2, 3]);
    expect(await stateOf(admin)).toMatchObject({ delivered_id: 0, error: "the webhook responded with status 500" });
    expect((await stateOf(admin))?.next_try_at).not.toBeNull();
    const metrics = await readMetrics(server.url);
    expect(sumOf(metrics, "skein_audit_delivery_lag_seconds")).toBeGreaterThan(0);
    expect(sumOf(metrics, "skein_audit_deliveries_total", { outcome: "failed" })).toBeGreaterThan(0);

    await change(admin, "two");
    status = 200;
    failing.received.length = 0;
    await endPauses();
    await deliver();
    expect(idsIn(failing)).toEqual([1, 2, 3, 4]);
    expect(await stateOf(admin)).toMatchObject({ delivered_id: 4, error: null });
  });

  test("is tried less and less often, and at once when it is changed", async () => {
    const { admin, id } = await newRealm([server]);
    const target = await accepting(503);
    const { id: destination_id } = await add(admin, target.url());
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await endPauses();
      await deliver();
      const { rows } = await sql<{ pause: number }>`
        select extract(epoch from next_try_at - failed_at)::float8 as pause from audit_destinations
        where realm_id = ${id}`.execute(server.ctx.db);
      pauses.push(Math.floor(rows[0]?.pause ?? 0));
    }
    success(await admin.call(updateAuditDestination, { destination_id, url: `${target.url()}/new` }));
    await deliver();

    expect(pauses).toEqual([1, 2, 4, 8]);
    expect(target.received.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook", "/hook", "/hook/new"]);
  });

  test("can be turned off, and continues where it was; the whole log can be asked for", async () => {
    const { admin } = await newRealm([server]);
    for (const n of [1, 2, 3]) await change(admin, String(n));
    const target = await accepting();
    const { id } = await add(admin, target.url(), 0);
    await deliver();
    expect(idsIn(target)).toEqual([1, 2, 3, 4]);

    success(await admin.call(updateAuditDestination, { destination_id: id, is_enabled: false }));
    await change(admin, "while it is off");
    await deliver();
    expect(idsIn(target)).toHaveLength(4);
    success(await admin.call(updateAuditDestination, { destination_id: id, is_enabled: true }));
    await deliver();

    expect(idsIn(target)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    success(await admin.call(deleteAuditDestination, { destination_id: id }));
    expect(await stateOf(admin)).toBeUndefined();
  });

  test("gets large entries in several requests", async () => {
    const { admin } = await newRealm([server]);
    const target = await accepting();
    await add(admin, target.url());
    for (const letter of "abcde") await change(admin, letter.repeat(1000));
    await sql`
      update audit_log set after = jsonb_build_object('description', repeat('x', 200000))
      where realm_id = ${admin.realm.id}`.execute(server.ctx.db);

    await deliver();

    expect(target.received.map(idsOf)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  test("inside the server's network is not reached", async () => {
    const { admin } = await newRealm([server]);
    const target = await accepting();
    await add(admin, target.url("127.0.0.2"));

    await deliver();

    expect((await stateOf(admin))?.error).toMatch(/127\.0\.0\.2 is not on the public Internet/);
    expect(target.received).toEqual([]);
  });

  test("gets each entry once from many workers", async () => {
    const { admin } = await newRealm([server]);
    const target = await startWebhookTarget((response) => setTimeout(() => response.writeHead(200).end(), 20));
    await add(admin, target.url(), 0);

    for (let n = 0; n < 4; n++) {
      await change(admin, `n ${n}`);
      await Promise.all([1, 2, 3, 4].map(deliver));
    }

    expect(idsIn(target)).toEqual([1, 2, 3, 4, 5]);
  });

  test("gets nothing from a worker whose claim is over", async () => {
    const { admin } = await newRealm([server]);
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const target = await startWebhookTarget((response) => {
      arrived.resolve();
      void answered.promise.then(() => response.writeHead(200).end());
    });
    const { id } = await add(admin, target.url());

    const slow = deliver();
    await arrived.promise;
    success(await admin.call(updateAuditDestination, { destination_id: id, url: `${target.url()}/new` }));
    answered.resolve();
    await slow;

    // What arrived at the old URL does not count.
    expect(await stateOf(admin)).toMatchObject({ delivered_id: 0 });
    await deliver();
    expect(target.received.map((call) => [call.path, idsOf(call)])).toEqual([
      ["/hook", [1]],
      ["/hook/new", [1, 2]],
    ]);
  });

  test("misses nothing when the worker is killed in the middle", async () => {
    const { admin } = await newRealm([server]);
    let isAnswering = false;
    const asked = Promise.withResolvers<void>();
    const target = await startWebhookTarget((response) => {
      if (isAnswering) response.writeHead(200).end();
      else asked.resolve();
    });
    await add(admin, target.url());
    for (const n of [1, 2, 3]) await change(admin, String(n));
    const environment = { SKEIN_ROLES: "worker", SKEIN_OUTBOUND_ALLOW: "127.0.0.1" };
    const first = await startProcess(server, { environment });
    await asked.promise;
    first.child.kill("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");
    expect(await stateOf(admin)).toMatchObject({ delivered_id: 0 });

    isAnswering = true;
    target.received.length = 0;
    await endPauses();
    await startProcess(server, { environment });

    await expect.poll(async () => (await stateOf(admin))?.delivered_id).toBe(4);
    expect(idsIn(target)).toEqual([1, 2, 3, 4]);
  });
});

/** A syslog server: what it has received, message by message. */
async function startSyslog(listener: Server): Promise<{ port: number; messages: string[] }> {
  const messages: string[] = [];
  const isSecure = "setSecureContext" in listener;
  listener.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.on("data", (piece) => (text += String(piece)));
    socket.on("end", () => {
      while (text !== "") {
        const [head = "", length = "0"] = /^(\d+) /.exec(text) ?? [];
        messages.push(text.slice(head.length, head.length + Number(length)));
        text = text.slice(head.length + Number(length));
      }
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  atEndOfFile(() => listener.close());
  return { port: (listener.address() as AddressInfo).port, messages }; // a TCP server's
}

describe("a syslog server", () => {
  test("receives messages of RFC 5424 over TCP", async () => {
    const { admin, host } = await newRealm([server]);
    const { port, messages } = await startSyslog(createServer());
    const made = await add(admin, `tcp://127.0.0.1:${port}`);
    await change(admin, "Grüße 🌱");

    await deliver();

    expect(made).toMatchObject({ kind: "syslog", secret: null });
    expect(messages).toHaveLength(2);
    const [, message = ""] = messages;
    expect(message).toMatch(/^<109>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \S+ skein - realm\.update - \{/);
    expect(message).toContain(` ${host} skein `);
    const entry = JSON.parse(message.slice(message.indexOf(" - {") + 3)) as AuditEntry; // what follows the header
    expect(entry.after).toEqual({ description: "Grüße 🌱" });
    expect(await stateOf(admin)).toMatchObject({ delivered_id: 2, error: null });
  });

  test("is trusted by its certificate over TLS, and not without", async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-syslog-"));
    atEndOfFile(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, "key"), join(folder, "cert")];
    const subject = ["-subj", "/CN=logs", "-addext", "subjectAltName=IP:127.0.0.1"];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject];
    execFileSync("openssl", made, { stdio: "ignore" });
    const secure = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) });
    const { port, messages } = await startSyslog(secure);
    const { admin } = await newRealm([server]);
    await add(admin, `tls://127.0.0.1:${port}`);

    await deliver();
    expect((await stateOf(admin))?.error).toMatch(/the connection failed \(.*CERT/);
    expect(messages).toEqual([]);

    const usual = getCACertificates();
    setDefaultCACertificates([...usual, readFileSync(cert, "utf8")]);
    await endPauses();
    await deliver();
    setDefaultCACertificates(usual);
    expect(messages).toHaveLength(1);
  });

  test("that closes the connection at once has not received anything", async () => {
    const { admin } = await newRealm([server]);
    const { port } = await startSyslog(createServer((socket) => socket.resetAndDestroy()));
    await add(admin, `tcp://127.0.0.1:${port}`);

    await deliver();

    expect((await stateOf(admin))?.error).toMatch(/^the connection/);
    expect((await stateOf(admin))?.delivered_id).toBe(0);
  });

  test("gets no control characters and nothing beyond ASCII", () => {
    const entry = { at: 1_700_000_000, action: "x".repeat(40), after: { name: 'a\n"b" ü \u{1F331}' } };
    const message = toSyslogMessage("https://chat.example.com", entry as unknown as AuditEntry); // the fields in use

    expect(message).toMatch(/^[\x20-\x7E]+$/);
    expect(message).toContain(`2023-11-14T22:13:20Z chat.example.com skein - ${"x".repeat(32)} - {`);
    expect(JSON.parse(message.slice(message.indexOf("{")))).toEqual(entry);
  });
});

test("only owners configure destinations, each for their organization, and only usable ones", async () => {
  const realm = await newRealm([server]);
  const [hamlet, other] = [await realm.user("hamlet", { role: 200 }), await newRealm([server])];
  const url = "https://logs.example.com/x";
  const { id } = await add(other.admin, url);

  const notOwner = { result: "error", msg: "Must be an organization owner" };
  expect(await hamlet.call(getAuditDestinations, {})).toMatchObject(notOwner);
  expect(await hamlet.call(createAuditDestination, { url })).toMatchObject(notOwner);
  expect(await hamlet.call(updateAuditDestination, { destination_id: id, is_enabled: false })).toMatchObject(notOwner);
  expect(await hamlet.call(deleteAuditDestination, { destination_id: id })).toMatchObject(notOwner);
  expect(success(await realm.admin.call(getAuditDestinations, {})).destinations).toEqual([]);
  for (const foreign of [
    await realm.admin.call(updateAuditDestination, { destination_id: id, is_enabled: false }),
    await realm.admin.call(deleteAuditDestination, { destination_id: id }),
  ])
    expect(foreign).toMatchObject({ msg: "Destination does not exist." });
  for (const wrong of ["", "logs", "ftp://x/", "tls://", "tcp://h/path", "file:///etc/passwd"])
    expect(await realm.admin.call(createAuditDestination, { url: wrong })).toMatchObject({ code: "BAD_REQUEST" });
  expect(await realm.admin.call(createAuditDestination, { url, after: 999 })).toMatchObject({ result: "error" });
  for (let n = 0; n < 10; n++) await add(realm.admin, url);
  expect(await realm.admin.call(createAuditDestination, { url })).toMatchObject({
    msg: "An organization can have 10 destinations.",
  });
});
