/**
 * How much there is of what is searched for. The index gives all messages that have a word, in no order: a list that is
 * short for most words. For a word that many messages have it is quicker to go through the newest messages and look.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

export interface Extent {
  /** All messages up to this id are in the index. */
  indexedUpTo: number;
  isCommon: boolean;
}

/**
 * To list a word's messages takes time by their number; to come past one of them in each of a few hundred channels takes
 * time by how rare they are among all. Where the two meet was measured, on ten million messages.
 */
const meetingPoint = 1250;

export async function searchExtent(db: Db, realmId: number, language: string, words: string): Promise<Extent> {
  const [progress, matches] = await Promise.all([
    sql<{ message_id: number; total: number }>`
      select message_id, (select reltuples from pg_class where oid = 'message_search'::regclass)::float8 as total
      from search_progress`.execute(db),
    // What the statistics make of it; nothing is looked at.
    sql<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>`
      explain (format json) select from message_search
      where vector @@ (plainto_tsquery(${language}::text::regconfig, ${words})
        && quote_literal(realm_word(${realmId}::bigint))::tsquery)`.execute(db),
  ]);
  const [known, [plan]] = [progress.rows[0], matches.rows[0]?.["QUERY PLAN"] ?? []];
  if (!known || !plan) throw new Error("unreachable: both statements give one row");
  const isCommon = plan.Plan["Plan Rows"] > Math.sqrt(known.total * meetingPoint);
  return { indexedUpTo: known.message_id, isCommon };
}
