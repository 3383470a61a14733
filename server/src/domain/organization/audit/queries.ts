import type { AuditEntry } from "@skein/api/audit-log.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { hashOf, toEntry } from "./entry.ts";

export interface AuditFilter {
  before?: number | undefined;
  after?: number | undefined;
  action?: string[] | undefined;
  actor_id?: number | undefined;
  target_kind?: string | undefined;
  target_id?: number | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

function matching(db: Db, realmId: number, filter: AuditFilter) {
  let rows = db.selectFrom("audit_log").selectAll().where("realm_id", "=", realmId);
  const { before, after, action, actor_id, target_kind, target_id, since, until } = filter;
  if (before !== undefined) rows = rows.where("id", "<", before);
  if (after !== undefined) rows = rows.where("id", ">", after);
  if (action !== undefined) rows = rows.where("action", "in", action.length > 0 ? action : [""]);
  if (actor_id !== undefined) rows = rows.where("actor_id", "=", actor_id);
  if (target_kind !== undefined) rows = rows.where("target_kind", "=", target_kind);
  if (target_id !== undefined) rows = rows.where("target_id", "=", target_id);
  if (since !== undefined) rows = rows.where("at", ">=", new Date(since * 1000));
  if (until !== undefined) rows = rows.where("at", "<=", new Date(until * 1000));
  return rows;
}

/** The newest entries that match, the newest first. */
export async function listEntries(
  db: Db,
  realmId: number,
  filter: AuditFilter,
  limit: number,
): Promise<{ entries: AuditEntry[]; has_more: boolean }> {
  const rows = matching(db, realmId, filter);
  const found = await rows
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return { entries: found.slice(0, limit).map(toEntry), has_more: found.length > limit };
}

/** The entries after an id that match, the oldest first. */
export async function entriesAfter(
  db: Db,
  realmId: number,
  id: number,
  limit: number,
  filter: AuditFilter = {},
): Promise<AuditEntry[]> {
  const rows = await matching(db, realmId, { ...filter, after: id })
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toEntry);
}

/** The id of the newest entry; 0 if there is none. */
export async function newestId(db: Db, realmId: number): Promise<number> {
  const head = await db.selectFrom("audit_heads").select("last_id").where("realm_id", "=", realmId).executeTakeFirst();
  return head?.last_id ?? 0;
}

export interface Verification {
  entries: number;
  /** The hash of the newest entry: keep it elsewhere, and compare it later. */
  head: string;
  /** The first entry that does not fit, and why; undefined if all do. */
  broken: { id: number; reason: string } | undefined;
}

const batch = 1000;
const zeros = "00".repeat(32);

/** Checks that no entry was changed, added in between, or removed. */
export async function verifyLog(db: Db, realmId: number): Promise<Verification> {
  let [count, previous] = [0, zeros];
  // Read first: entries that are added meanwhile come after it.
  const head = await db.selectFrom("audit_heads").selectAll().where("realm_id", "=", realmId).executeTakeFirst();
  const broken = (id: number, reason: string): Verification => ({
    entries: count,
    head: previous,
    broken: { id, reason },
  });
  for (;;) {
    const entries = await entriesAfter(db, realmId, count, batch);
    for (const entry of entries) {
      if (entry.id !== count + 1) return broken(count + 1, "the entry is missing");
      if (entry.prev_hash !== previous) return broken(entry.id, "it does not follow the entry before it");
      if (entry.hash !== hashOf(entry)) return broken(entry.id, "the entry was changed");
      [count, previous] = [entry.id, entry.hash];
      if (entry.id === head?.last_id && entry.hash !== head.last_hash.toString("hex"))
        return broken(entry.id, "the end of the log was replaced");
    }
    if (entries.length < batch) break;
  }
  if (count < (head?.last_id ?? 0)) return broken(count + 1, "the entry is missing");
  return { entries: count, head: previous, broken: undefined };
}
