/** Makes a change and records it: compares what the audit log shows of the object before and after. */
import type { AuditAction } from "@skein/api/audit-log.ts";
import { roles } from "@skein/api/users.ts";
import { isDeepStrictEqual } from "node:util";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { byCaller, byOperator, lockHead, record, startOver, tryLockHead, type AuditSource } from "./record.ts";
import { loadFields, type Fields, type SubjectKind } from "./subjects.ts";

/** The request that makes a change. */
export interface Caller {
  user: User;
  request: { ip: string; id: string };
}

interface Audited<T> {
  kind: SubjectKind;
  /** The object's id, or for a new one how to find it. */
  id: number | ((made: T) => number);
  action: AuditAction | ((before: Fields, after: Fields) => AuditAction);
  /** Recorded although no field that the log shows has changed. */
  isAlways?: boolean;
  /** What else to record with the change. */
  details?: Fields | undefined;
}

/** Runs `change` inside the transaction, and records what it has changed; nothing if it has changed nothing. */
export async function audited<T>(
  tx: Tx,
  { user, request }: Caller,
  audit: Audited<T>,
  change: () => Promise<T>,
): Promise<T> {
  const { realm_id, role } = user;
  // Who may not make the change is told so at once, and does not stand in line before those who may.
  if (role > roles.administrator && !(await tryLockHead(tx, realm_id))) {
    await change();
    throw startOver(realm_id);
  }
  return auditedFor(tx, realm_id, byCaller(user, request), audit, change);
}

/** The same, for a command of the operator. */
export const auditedCommand = <T>(
  tx: Tx,
  { id }: { id: number },
  audit: Audited<T>,
  change: () => Promise<T>,
): Promise<T> => auditedFor(tx, id, byOperator, audit, change);

/** The same, for changes that are not made by an account. */
export async function auditedFor<T>(
  tx: Tx,
  realmId: number,
  source: AuditSource,
  { kind, id, action, isAlways = false, details }: Audited<T>,
  change: () => Promise<T>,
): Promise<T> {
  // Others wait here, so that nobody changes the object in between.
  await lockHead(tx, realmId);
  const old = typeof id === "number" ? await loadFields(tx, realmId, kind, id) : undefined;
  const made = await change();
  const targetId = typeof id === "number" ? id : id(made);
  const now = await loadFields(tx, realmId, kind, targetId);
  const { before, after } = difference(old, now);
  if (!isAlways && before === null && after === null) return made;
  await record(tx, realmId, source, {
    action: typeof action === "string" ? action : action(before ?? {}, after ?? {}),
    target: { kind, id: targetId },
    before,
    after: details ? { ...after, ...details } : after,
  });
  return made;
}

/** The fields that differ. Of an object that is new or gone, all that are not null. */
export function difference(
  old: Fields | undefined,
  now: Fields | undefined,
): { before: Fields | null; after: Fields | null } {
  const names = Object.keys({ ...old, ...now }).filter(
    (name) => !isDeepStrictEqual(old?.[name] ?? null, now?.[name] ?? null),
  );
  if (names.length === 0) return { before: null, after: null };
  const pick = (fields: Fields | undefined): Fields | null =>
    fields ? Object.fromEntries(names.map((name) => [name, fields[name] ?? null])) : null;
  return { before: pick(old), after: pick(now) };
}
