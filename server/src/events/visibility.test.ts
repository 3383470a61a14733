import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestUser } from "../../test/realm.ts";
import { maxHiddenMilliseconds } from "./visible.ts";
import { startEngines, stopEngines } from "../platform/engines/engines.ts";

/**
 * A server where one connection's commits wait for a standby that never responds. Such a commit is in the write-ahead log,
 * and so in the event log, but not visible yet. Every commit passes through this state; here it lasts. Other connections
 * commit without waiting.
 */
async function serverWithHeldCommits() {
  const dir = await mkdtemp(join(inject("scratchFolder"), "own-"));
  onTestFinished(async () => {
    await stopEngines(dir);
    await rm(dir, { recursive: true });
  });
  const { postgresUrl, natsUrl } = await startEngines(dir, { fsync: false });
  const held = new pg.Client(postgresUrl);
  held.on("error", () => undefined); // it is cut off when the engine stops
  await held.connect();
  await held.query("alter role skein set synchronous_commit = local");
  await held.query("alter system set synchronous_standby_names = 'nobody'");
  await held.query("select pg_reload_conf()");
  const node = await startNode({ environment: { SKEIN_DATABASE_URL: postgresUrl, SKEIN_NATS_URL: natsUrl } });
  await held.query("set synchronous_commit = on");
  return { held, node, postgresUrl };
}

/** Renames a user by that connection. The commit stays in the state described above until `release` is called. */
async function renameHeld(held: pg.Client, user: TestUser, fullName: string) {
  const event = { type: "realm_user", op: "update", person: { user_id: user.id, full_name: fullName } } as const;
  const part = `,"r":${user.realm.id},"e":[[{"everyone":true},${JSON.stringify(event)}]]}`;
  await held.query("begin");
  await held.query("update users set full_name = $2 where id = $1", [user.id, fullName]);
  await held.query(
    `select pg_logical_emit_message(true, 'skein', '1' || chr(10) || '{"x":' || pg_current_xact_id() || $1::text)`,
    [part],
  );
  return { event, commit: held.query("commit").catch(() => undefined) };
}

test("whoever hears an event can read its change", async () => {
  const { held, node, postgresUrl } = await serverWithHeldCommits();
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  const watcher = await realm.admin.register(["realm_user"]);
  const others = new pg.Client(postgresUrl);
  others.on("error", () => undefined);
  await others.connect();

  const seen = watcher.next().then(() => others.query("select full_name from users where id = $1", [hamlet.id]));

  const { commit } = await renameHeld(held, hamlet, "Prince");
  await expect
    .poll(async () => (await others.query("select from pg_stat_activity where wait_event = 'SyncRep'")).rowCount)
    .toBe(1);
  await others.query("alter system reset synchronous_standby_names");
  await others.query("select pg_reload_conf()");

  expect((await seen).rows).toEqual([{ full_name: "Prince" }]);
  await Promise.all([commit, others.end()]);
});

test("the log waits for a commit to become visible, but not forever, and a registration does not miss its event then", async () => {
  const { held, node } = await serverWithHeldCommits();
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  const watcher = await realm.admin.register(["realm_user"]);

  const committedAt = Date.now();
  const { event, commit } = await renameHeld(held, hamlet, "Prince");
  expect(await watcher.next()).toEqual(event);
  expect(Date.now() - committedAt).toBeGreaterThanOrEqual(maxHiddenMilliseconds);
  const between = await realm.admin.register(["realm_user"], ["realm_user"]);

  expect(between.state.realm_users?.find((user) => user.user_id === hamlet.id)?.full_name).toBe("Hamlet");
  expect(await between.next()).toEqual(event);
  void commit;
});
