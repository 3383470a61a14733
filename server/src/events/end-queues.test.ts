import { getEvents } from "@skein/api/registration.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { sendDirect } from "../../test/actions.ts";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm, type TestQueue } from "../../test/realm.ts";
import type { Db } from "../platform/db/connect.ts";
import { transaction } from "../platform/db/transaction.ts";
import { endQueues, endQueuesInFlight } from "./end-queues.ts";

const poll = ({ user, id, lastEventId }: TestQueue) =>
  user.call(getEvents, { queue_id: id, last_event_id: lastEventId, dont_block: true });

const isOver = { result: "error", code: "BAD_EVENT_QUEUE_ID" };

/** Runs `work` while nobody can read saved snippets, which a registration does after it has taken its snapshot. */
async function whileRegistering(db: Db, register: () => Promise<TestQueue>, work: () => Promise<unknown>) {
  let registering: Promise<TestQueue> | undefined;
  await transaction(db, "hold a registration", async (tx) => {
    await sql`lock table saved_snippets in access exclusive mode`.execute(tx);
    registering = register();
    for (let isWaiting = false; !isWaiting;) {
      const { rows } =
        await sql`select from pg_locks where not granted and relation = 'saved_snippets'::regclass`.execute(tx);
      isWaiting = rows.length > 0;
    }
    await work();
  });
  if (!registering) throw new Error("unreachable: the transaction began the registration");
  return registering;
}

test("the queues of one organization end, also those whose registration is in flight", async () => {
  const server = await startOwnServer();
  const { db } = server.ctx;
  const [realm, other] = [await newRealm([server]), await newRealm([server])];
  const [before, elsewhere] = [await realm.admin.register(), await other.admin.register()];
  let xid = 0;

  const inFlight = await whileRegistering(
    db,
    () => realm.admin.register(undefined, ["saved_snippets"]),
    async () => (xid = await transaction(db, "end queues", (tx) => endQueues(tx, realm.id))),
  );
  const after = await realm.admin.register();
  const id = await sendDirect(realm.admin, [realm.admin]);

  expect(await poll(before)).toMatchObject(isOver);
  expect(await poll(inFlight)).toMatchObject(isOver);
  expect(await after.nextOf("message")).toMatchObject({ message: { id } });
  expect(await poll(elsewhere)).toMatchObject({ result: "success" });
  // For nodes of the previous release, which look only for the row.
  const stored = async () => (await db.selectFrom("event_queues").select("id").execute()).map((queue) => queue.id);
  expect((await stored()).toSorted()).toEqual([inFlight.id, after.id, elsewhere.id].toSorted());
  await endQueuesInFlight(db, realm.id, xid);
  expect((await stored()).toSorted()).toEqual([after.id, elsewhere.id].toSorted());
});

test("a read that waits for events of such a queue ends at once", async () => {
  const server = await startOwnServer();
  const realm = await newRealm([server]);
  const queue = await realm.admin.register();
  const waiting = realm.admin.call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId });
  while ((await server.ctx.metrics.waitingPolls.get()).values[0]?.value !== 1)
    await new Promise((resume) => setImmediate(resume));

  await transaction(server.ctx.db, "end queues", (tx) => endQueues(tx, realm.id));

  expect(await waiting).toMatchObject(isOver);
});
