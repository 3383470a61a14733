/** Several cells with a directory: servers with databases of their own, which share the run's PostgreSQL and NATS programs. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { Commands } from "./commands.ts";
import { startOwnServer, type OwnServer } from "./own-server.ts";

/** An empty database for a directory; returns its URL. */
export async function newDirectoryUrl(): Promise<string> {
  const name = `directory_${randomBytes(4).toString("hex")}`;
  const url = new URL(inject("postgresUrl"));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}

export interface TestCell extends OwnServer {
  number: number;
  /** Commands with the settings of this cell and of the directory. */
  skein: Commands;
}

/** A server that has not been added to a directory. */
export async function startServerForCell(
  directoryUrl: string,
  number: number,
  environment: Record<string, string> = {},
): Promise<TestCell> {
  const folder = `cell-${randomBytes(4).toString("hex")}`;
  const server = await startOwnServer({
    SKEIN_FILES_DIR: join(inject("scratchFolder"), folder),
    SKEIN_DIRECTORY_URL: directoryUrl,
    ...environment,
  });
  return { ...server, number, skein: new Commands(server.ctx, { SKEIN_DIRECTORY_URL: directoryUrl }) };
}

/** A server that is a cell of the directory. */
export async function startCell(
  directoryUrl: string,
  number: number,
  environment: Record<string, string> = {},
): Promise<TestCell> {
  const cell = await startServerForCell(directoryUrl, number, environment);
  await cell.skein.text("cell", "add", `cell-${number}`, "--number", String(number), "--address", cell.url);
  return cell;
}
