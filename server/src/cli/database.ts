/** The configured database, for as long as one command runs. */
import { readConfig, settings, type Config } from "../config.ts";
import { connect, type Db } from "../platform/db/connect.ts";
import { missingMigrations } from "../platform/db/migrate.ts";

export async function withDatabase<T>(work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const missing = await reach(config, missingMigrations);
  if (missing.length > 0) throw new Error(`The database lacks ${missing.join(", ")}: run \`npx skein migrate\` first.`);
  const db = connect({ url: config.databaseUrl, connections: 2, name: "skein command" });
  try {
    return await work(db, config);
  } finally {
    await db.destroy();
  }
}

/** Does something at the database's address, and explains a failure to get there. */
export async function reach<T>({ databaseUrl }: Config, work: (url: string) => Promise<T>): Promise<T> {
  try {
    return await work(databaseUrl);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new Error(
      `PostgreSQL at ${withoutPassword(databaseUrl)} cannot be used: ${describe(error)}.\n` +
        `Set ${settings.databaseUrl.variable} to its address (\`npx skein config\`), or start one of your own with ` +
        "`npx skein services start`.",
      { cause: error },
    );
  }
}

interface ConnectionError extends Error {
  code: string;
}

/** Nobody listens, no such host, or PostgreSQL itself refuses the account, the password or the database. */
const unreachable = ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "ECONNRESET", "28P01", "28000", "3D000", "57P03"];

const isUnreachable = (error: unknown): error is ConnectionError =>
  error instanceof Error && "code" in error && unreachable.includes(String(error.code));

/** A refusal at several addresses of one host has no message of its own. */
const describe = ({ message, code }: ConnectionError) => (message === "" ? code : message);

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "the configured address";
  const { host, pathname } = new URL(url);
  return host + pathname;
}
