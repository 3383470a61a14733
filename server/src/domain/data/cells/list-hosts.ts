/** Keeps the directory up to date: every host name of an organization here is listed under this cell. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { Chore } from "../../../jobs/chore.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { anyHost, Directory } from "../../../platform/directory/directory.ts";

/** The cell's number; undefined if this database is not one of several cells. */
export async function cellNumber(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom("cell").select("number").executeTakeFirst();
  return row?.number;
}

/** The host names of organizations that live here. */
async function ownHosts(db: Db): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`
    select coalesce(lower(host), ${anyHost}) as host from realms where moved_to is null`.execute(db);
  return rows.map(({ host }) => host);
}

/** Returns the host names that are listed under another cell. */
export async function listHosts(db: Db, directory: Directory, cell: number): Promise<string[]> {
  const hosts = await ownHosts(db);
  const elsewhere = await directory.addHosts(cell, hosts);
  await directory.removeOtherHosts(cell, hosts);
  return elsewhere;
}

async function listOwnHosts({ config, db, logger }: Context): Promise<void> {
  if (config.directoryUrl === "") return;
  const cell = await cellNumber(db);
  if (cell === undefined) return;
  const directory = new Directory(config.directoryUrl);
  try {
    for (const host of await listHosts(db, directory, cell))
      logger.warn({ host }, "another cell has an organization with the same host name; requests go there");
  } finally {
    await directory.close();
  }
}

/** New, renamed and deleted organizations, however that happened. */
export const listHostsInDirectory: Chore = {
  name: "listing host names in the directory",
  everyMilliseconds: 10_000,
  run: listOwnHosts,
};
