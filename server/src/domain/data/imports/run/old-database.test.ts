/**
 * Imports into a database that began before ids were kept for imports: its own messages have ids from 1, so history comes
 * after them.
 */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { sendDirect } from "../../../../../test/actions.ts";
import { active, checkAccess } from "../../../../../test/check-access.ts";
import { importInto } from "../../../../../test/imports.ts";
import { startOwnServer, type OwnServer } from "../../../../../test/own-server.ts";
import { addMessage, Chance, randomExport } from "../../../../../test/random-export.ts";
import { newRealm } from "../../../../../test/realm.ts";

/** As migration 0041 leaves a database that has messages from the first id on. */
async function startOldServer(): Promise<OwnServer> {
  const server = await startOwnServer();
  const { db } = server.ctx;
  await sql`select setval('messages_id_seq', 1, false)`.execute(db);
  await sql`update import_ids set next_id = 1, end_id = 1`.execute(db);
  await sql`update notification_progress set settled = 0`.execute(db);
  await sql`update search_progress set message_id = 0`.execute(db);
  return server;
}

test.for([1, 2])("everybody reads what they could read before, and nothing else (%i)", async (seed) => {
  const chance = new Chance(seed);
  const server = await startOldServer();
  const realm = await newRealm([server]);
  await sendDirect(realm.admin, [realm.admin], { content: "The first" });
  const given = randomExport(chance);

  await importInto(realm, given);
  expect(await checkAccess(realm, given, { isAllRead: true })).toBe(active.length);

  await sendDirect(realm.admin, [realm.admin], { content: "In between" });
  for (let n = 0; n < 15; n++) addMessage(given, chance);
  await importInto(realm, given, { fingerprint: "newer" });
  expect(await checkAccess(realm, given, { isAllRead: true })).toBe(active.length);
});
