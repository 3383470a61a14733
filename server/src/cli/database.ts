/** Connects to the configured database for the duration of one command. */
import { readConfig, settings, type Config } from "../config.ts";
import { connect, type Db } from "../platform/db/connect.ts";
import { compareSchema, demandKnownSchema } from "../platform/db/schema-state.ts";
import { reasonOf } from "./finding.ts";

export async function withDatabase<T>(work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  demandKnownSchema(await explainUnreachable(config, compareSchema));
  const db = connect({ url: config.databaseUrl, connections: 2, name: "skein command" });
  try {
    return await work(db, config);
  } finally {
    await db.destroy();
  }
}

/** Runs `work` with the database's URL, and explains connection errors. */
export async function explainUnreachable<T>({ databaseUrl }: Config, work: (url: string) => Promise<T>): Promise<T> {
  try {
    return await work(databaseUrl);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new Error(
      `Cannot connect to PostgreSQL at ${withoutPassword(databaseUrl)}: ${reasonOf(error)}.\n` +
        `Set ${settings.databaseUrl.variable} to its URL (see \`skein config\`), or start a private one with ` +
        "`skein services start`.",
      { cause: error },
    );
  }
}

/** Nothing listens, unknown host, or PostgreSQL rejects the user, the password or the database. */
const unreachable = ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "ECONNRESET", "28P01", "28000", "3D000", "57P03"];

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && unreachable.includes(String(error.code));

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "the configured URL";
  const { host, pathname } = new URL(url);
  return host + pathname;
}
