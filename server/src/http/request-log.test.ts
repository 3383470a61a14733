import { sql } from "kysely";
import { expect, test } from "vitest";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm } from "../../test/realm.ts";
import { startProcess } from "../../test/server-process.ts";

test("a failed request is logged with its route, and without the keys in its URL", async () => {
  const server = await startOwnServer();
  const node = await startProcess(server);
  const realm = await newRealm([{ ...server, url: node.url }]);
  const key = "0123456789abcdef0123456789abcdef01234567";
  const get = async (path: string) =>
    (await fetch(node.url + path, { headers: { "x-forwarded-host": realm.host }, redirect: "manual" })).status;
  // Every query for a token or a key fails.
  for (const table of ["confirmations", "invitation_links", "api_keys"])
    await sql`alter table ${sql.id(table)} rename to ${sql.id(`${table}_gone`)}`.execute(server.ctx.db);

  expect(await get(`/accounts/do_confirm/${key}?key=${key}`)).toBe(500);
  expect(await get(`/join/${key}`)).toBe(500);
  expect(await get(`/api/v1/external/github?api_key=${key}`)).toBeGreaterThanOrEqual(400);

  await expect.poll(() => node.log()).toContain('"path":"/join/{key}"');
  expect(node.log()).toContain('"path":"/accounts/do_confirm/{key}"');
  expect(node.log()).not.toContain(key);
});
