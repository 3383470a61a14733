/**
 * How common the searched words are. The index returns all messages with a word, unordered, which is a short list for
 * most words. For a word that many messages contain it is faster to scan the newest messages.
 */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export interface Extent {
  /** All messages up to this id are in the index. */
  indexedUpTo: number;
  isCommon: boolean;
}

/**
 * Listing a word's messages takes time proportional to their number; scanning for one takes time proportional to how
 * rare they are. This is where the two are equal, measured on ten million messages.
 */
const breakEven = 1250;

export async function searchExtent(db: Db, realmId: number, language: string, words: string): Promise<Extent> {
  const [progress, matches] = await Promise.all([
    sql<{ message_id: number; total: number }>`
      select message_id, (select reltuples from pg_class where oid = 'message_search'::regclass)::float8 as total
      from search_progress`.execute(db),
    // Only the planner's estimate; no row is read.
    sql<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>`
      explain (format json) select from message_search
      where vector @@ (plainto_tsquery(${language}::text::regconfig, ${words})
        && quote_literal(realm_word(${realmId}::bigint))::tsquery)`.execute(db),
  ]);
  const [known, [plan]] = [progress.rows[0], matches.rows[0]?.["QUERY PLAN"] ?? []];
  if (!known || !plan) throw new Error("unreachable: both statements return one row");
  const isCommon = plan.Plan["Plan Rows"] > Math.sqrt(known.total * breakEven);
  return { indexedUpTo: known.message_id, isCommon };
}
