/** Imports exports in memory, and signs in as those who came with them. */
import { sql } from "kysely";
import { runImport, type ImportOptions } from "../src/domain/data/imports/run/run.ts";
import type { Report } from "../src/domain/data/imports/run/report.ts";
import { createApiKey } from "../src/domain/people/auth/api-keys.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import { memorySource, type Export } from "./memory-source.ts";
import { TestUser, type TestRealm } from "./realm.ts";

export const importInto = (realm: TestRealm, given: Export, options: Partial<ImportOptions> = {}): Promise<Report> =>
  runImport(realm.ctx, {
    realmId: realm.id,
    open: async () => memorySource(given),
    fingerprint: "the export",
    ...options,
  });

/** The imported account, with a key. */
export async function signIn(realm: TestRealm, email: string): Promise<TestUser> {
  const { db } = realm.ctx;
  const row = await db
    .selectFrom("users")
    .select(["id", "full_name"])
    .where("realm_id", "=", realm.id)
    .where("delivery_email", "=", email)
    .executeTakeFirstOrThrow();
  const key = await transaction(db, "make a key", (tx) => createApiKey(tx, { id: row.id, realm_id: realm.id }, "test"));
  return new TestUser(realm, row.id, email, row.full_name, key);
}

/** Our ids of imported messages by those of the source. */
export async function importedIds(realm: TestRealm): Promise<Map<string, number>> {
  const { rows } = await sql<{ source_id: string; id: number }>`
    select source_id, id from import_map where realm_id = ${realm.id} and kind = 'message'`.execute(realm.ctx.db);
  return new Map(rows.map(({ source_id, id }) => [source_id, id]));
}

/** How many rows of the organization are in the staging tables. */
export async function countStaged({ ctx, id }: TestRealm): Promise<number> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relpersistence = 'u' and relkind = 'r' and relname like 'import\\_%'`.execute(ctx.db);
  let staged = 0;
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} where realm_id = ${id}`.execute(ctx.db);
    staged += rows.length;
  }
  return staged;
}
