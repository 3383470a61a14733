/**
 * The alert words of whole organizations, as this node remembers them: every message is searched for all of them, and
 * sending asks the database nothing it need not. What is remembered is valid for one version.
 *
 * **Invariant:** a message is flagged by the words there were when its request began, or by newer ones. A message that
 * goes with others has the version compared by the statement that sends it; one that goes alone is compared before.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { StaleSession } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";

export interface RealmAlertWords {
  /** 0: nobody ever had any. */
  version: number;
  /** By user. */
  words: ReadonlyMap<number, readonly string[]>;
}

const remembered = new WeakMap<Context, Map<number, RealmAlertWords>>();
const maxRealms = 1000;

/** As they are remembered; but as they are now inside a transaction, where nothing is compared later. */
export async function alertWordsFor(ctx: Context, db: Db, realmId: number): Promise<RealmAlertWords> {
  const known = ofNode(ctx).get(realmId);
  const isGood = known && (db === ctx.db || known.version === (await currentVersion(db, realmId)));
  return isGood ? known : loadAlertWords(ctx, db, realmId);
}

/** Throws when there are newer ones: the request is repeated with these. */
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

/** Words and version come from one statement, which sees both of the same time. */
async function loadAlertWords(ctx: Context, db: Db, realmId: number): Promise<RealmAlertWords> {
  const { rows } = await sql<{ version: number; words: [number, string[]][] | null }>`
    select ${sql.raw(alertWordVersionSql(String(realmId)))} as version, (
      select json_agg(json_build_array(own.user_id, own.words))
      from (
        select user_id, json_agg(word) as words from alert_words where realm_id = ${realmId} group by user_id
      ) as own) as words`.execute(db);
  const [row] = rows;
  const loaded = { version: row?.version ?? 0, words: new Map(row?.words) };
  const byRealm = ofNode(ctx);
  if (byRealm.size >= maxRealms) byRealm.delete(byRealm.keys().next().value ?? 0);
  byRealm.set(realmId, loaded);
  return loaded;
}

function ofNode(ctx: Context): Map<number, RealmAlertWords> {
  const known = remembered.get(ctx) ?? new Map<number, RealmAlertWords>();
  remembered.set(ctx, known);
  return known;
}
