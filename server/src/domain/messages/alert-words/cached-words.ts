/**
 * A node's cache of the alert words of whole organizations: every message is searched for all of them, and sending
 * should query the database as little as possible. A cached entry is valid for one version.
 *
 * **Invariant:** a message is flagged by the words that existed when its request began, or by newer ones. The statement
 * that sends a group of messages compares the version; for a message sent alone it is compared before.
 */
import { sql } from "kysely";
import type { Context, TxContext } from "../../../context.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { Db } from "../../../platform/db/connect.ts";

export interface RealmAlertWords {
  /** 0 if nobody ever had any. */
  version: number;
  /** By user id. */
  words: ReadonlyMap<number, readonly string[]>;
}

/** The cached words; inside a transaction, where no version is compared later, the current ones. */
export async function cachedAlertWords(ctx: TxContext, db: Db, realmId: number): Promise<RealmAlertWords> {
  const known = ctx.memory.alertWords.newest(realmId);
  const isGood = known && (!db.isTransaction || known.version === (await currentVersion(db, realmId)));
  return isGood ? known : loadAlertWords(ctx, db, realmId);
}

/** Throws when there are newer words, so that the request is retried with them. */
export async function verifyAlertWords(ctx: Context, realmId: number, version: number): Promise<void> {
  if (version === (await currentVersion(ctx.db, realmId))) return;
  await loadAlertWords(ctx, ctx.db, realmId);
  throw new StaleSession();
}

/** SQL for the version of an organization's words; `realm` is SQL for its id. */
export const alertWordVersionSql = (realm: string): string =>
  `coalesce((select version from alert_word_versions where realm_id = ${realm}), 0)`;

async function currentVersion(db: Db, realmId: number): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select ${sql.raw(alertWordVersionSql(String(realmId)))} as version`.execute(db);
  return rows[0]?.version ?? 0;
}

/** One statement reads both words and version, so they match. */
async function loadAlertWords(ctx: TxContext, db: Db, realmId: number): Promise<RealmAlertWords> {
  const { rows } = await sql<{ version: number; words: [number, string[]][] | null }>`
    select ${sql.raw(alertWordVersionSql(String(realmId)))} as version, (
      select json_agg(json_build_array(own.user_id, own.words))
      from (
        select user_id, json_agg(word) as words from alert_words where realm_id = ${realmId} group by user_id
      ) as own) as words`.execute(db);
  const [row] = rows;
  const loaded = { version: row?.version ?? 0, words: new Map(row?.words) };
  // Safe inside a transaction too: a transaction that changes words never sends a message.
  ctx.memory.alertWords.keep(realmId, loaded.version, loaded);
  return loaded;
}
