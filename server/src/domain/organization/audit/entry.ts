/** An entry of the audit log, and the hash that chains it to the one before it. */
import { hash } from "node:crypto";
import type { AuditEntry } from "@skein/api/audit-log.ts";
import type { Selectable } from "kysely";
import type { AuditLogTable } from "../../../platform/db/schema.ts";
import { toTimestamp } from "../../base/timestamp.ts";

export type AuditRow = Selectable<AuditLogTable>;

export function toEntry(row: AuditRow): AuditEntry {
  const { credential_kind, credential_id } = row;
  return {
    id: row.id,
    at: toTimestamp(row.at),
    actor: { kind: row.actor_kind as AuditEntry["actor"]["kind"], id: row.actor_id }, // written by record.ts
    credential:
      credential_id === null
        ? null
        : { kind: credential_kind as NonNullable<AuditEntry["credential"]>["kind"], id: credential_id }, // as above
    ip: row.ip,
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id },
    before: row.before as AuditEntry["before"], // as above
    after: row.after as AuditEntry["after"], // as above
    request_id: row.request_id,
    prev_hash: row.prev_hash.toString("hex"),
    hash: row.hash.toString("hex"),
  };
}

/** The hash of an entry, whatever its field `hash` says. */
export function hashOf({ hash: _, ...entry }: AuditEntry): string {
  return hash("sha256", canonical(entry), "hex");
}

/** JSON with sorted names: PostgreSQL does not keep their order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`).join(",")}}`; // own names
}
