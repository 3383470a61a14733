import { addReaction } from "@skein/api/reactions.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../../../../test/actions.ts";
import { newDirectoryUrl, startCell, startServerForCell } from "../../../../test/cells.ts";
import { uploadAs } from "../../../../test/files.ts";
import { newRealm, success } from "../../../../test/realm.ts";
import { blockOf, firstIdOf } from "../../../platform/db/id-blocks.ts";
import { Directory } from "../../../platform/directory/directory.ts";
import { importLockKey } from "../../../platform/db/advisory-locks.ts";
import { listHostsInDirectory } from "./list-hosts.ts";

/** The tables whose own ids are not from the cell's block, although they have rows. */
async function foreignIds({ db }: Parameters<typeof listHostsInDirectory.run>[0], cell: number): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'id' and is_identity = 'YES' and data_type = 'bigint'`.execute(db);
  const foreign: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ least: number | null; greatest: number | null }>`
      select min(id) as least, max(id) as greatest from ${sql.table(name)}`.execute(db);
    const { least = null, greatest = null } = rows[0] ?? {};
    if (least !== null && greatest !== null && (blockOf(least) !== cell || blockOf(greatest) !== cell))
      foreign.push(name);
  }
  return foreign;
}

test("a cell takes all its ids from its own block, with room for imported history", async () => {
  const cell = await startCell(await newDirectoryUrl(), 3);
  const { db } = cell.ctx;

  const realm = await newRealm([cell]);
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "court");
  const id = await sendToChannel(hamlet, channel, { content: `[note](${await uploadAs(hamlet)})` });
  await sendDirect(hamlet, [realm.admin]);
  success(await realm.admin.call(addReaction, { message_id: id, emoji_name: "tada" }));
  success(await hamlet.call(createUserGroup, { name: "players", description: "", members: [hamlet.id] }));

  expect(blockOf(realm.id)).toBe(3);
  expect(id).toBeGreaterThan(firstIdOf(3) + 1_000_000_000);
  expect(await foreignIds(cell.ctx, 3)).toEqual([]);
  const { messages } = success(await realm.admin.call(getMessages, { anchor: "newest", num_before: 5, num_after: 0 }));
  expect(messages.map((message) => message.id)).toContain(id);
  const { rows } = await sql<{ next_id: number; end_id: number }>`select next_id, end_id from import_ids`.execute(db);
  expect(rows).toEqual([{ next_id: firstIdOf(3) + 1, end_id: firstIdOf(3) + 1_000_000_000 }]);
  expect(importLockKey(realm.id)).toBeLessThan(2 ** 31);
});

test("the last cell's ids are exact as JSON numbers", () => {
  expect(Number.isSafeInteger(firstIdOf(8192) - 1)).toBe(true);
});

test("an existing installation is cell 0; a database with its organizations becomes no other cell", async () => {
  const directoryUrl = await newDirectoryUrl();
  const server = await startServerForCell(directoryUrl, 0);
  const realm = await newRealm([server]);
  const add = (name: string, number: number) =>
    server.skein.json("cell", "add", name, "--number", String(number), "--address", server.url);

  await expect(add("first", 1)).rejects.toThrow("whose ids are not of cell 1");
  expect(await add("first", 0)).toMatchObject({ number: 0, name: "first", first_id: 0, listed_elsewhere: [] });
  await expect(add("first", 2)).rejects.toThrow("belongs to cell 0 already");
  await expect(server.skein.text("cell", "add", "a b", "--number", "0", "--address", server.url)).rejects.toThrow(
    "name",
  );
  await expect(server.skein.text("cell", "add", "b", "--number", "0", "--address", "ftp://x")).rejects.toThrow(
    "--address",
  );

  expect(await server.skein.json("cell", "list")).toMatchObject([
    { number: 0, name: "first", addresses: [server.url], organizations: [{ host: realm.host, cell: 0 }] },
  ]);
  expect(await server.skein.text("cell", "list", "--organizations")).toContain(realm.host);
});

test("workers list new organizations and remove those that are gone, but never take another cell's host name", async () => {
  const directoryUrl = await newDirectoryUrl();
  const [first, second] = [await startCell(directoryUrl, 0), await startCell(directoryUrl, 1)];
  const directory = new Directory(directoryUrl);
  const cellOf = async (host: string) => (await directory.find(host))?.cell;

  const realm = await newRealm([first]);
  const other = await newRealm([second]);
  await listHostsInDirectory.run(first.ctx);
  await listHostsInDirectory.run(second.ctx);
  expect([await cellOf(realm.host), await cellOf(other.host)]).toEqual([0, 1]);

  await sql`update realms set host = ${realm.host} where id = ${other.id}`.execute(second.ctx.db);
  await listHostsInDirectory.run(second.ctx);
  expect(await cellOf(realm.host)).toBe(0);
  await directory.removeOtherHosts(1, []);
  expect(await cellOf(other.host)).toBe(1); // it has just changed
  await directory.close();
});
