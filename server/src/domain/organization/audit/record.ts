/**
 * Writes the audit log. An entry is part of the transaction that makes the change, so that both exist, or neither.
 *
 * **Invariant:** the entries of an organization are numbered without gaps, and each contains the hash of the one before it.
 * Therefore only one transaction at a time writes to an organization's log: it locks the log's head, if possible before
 * anything else, so that two of them do not wait for each other. Sending messages never does. Who finds the head locked
 * gives its connection back and waits in line (`platform/db/turns.ts`).
 */
import type { AuditAction, AuditEntry, AuditTarget } from "@skein/api/audit-log.ts";
import { sql } from "kysely";
import { emit } from "../../../events/emit.ts";
import type { Credential, User } from "../../../identity/account.ts";
import { isAwaited, type Tx } from "../../../platform/db/transaction.ts";
import { MustWait } from "../../../platform/db/turns.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { hashOf } from "./entry.ts";

/** Who makes a change, and from where. */
export interface AuditSource {
  actor: AuditEntry["actor"];
  credential: AuditEntry["credential"];
  ip: string | null;
  requestId: string | null;
}

interface Origin {
  ip: string;
  id: string;
}

const toCredential = (credential: Credential | undefined): AuditEntry["credential"] =>
  credential ? { kind: credential.kind, id: credential.id } : null;

/** A request by an account. */
export const byCaller = (user: User, { ip, id }: Origin): AuditSource => ({
  actor: { kind: user.is_bot ? "bot" : "user", id: user.id },
  credential: toCredential(user.credential),
  ip,
  requestId: id,
});

/** A request by the organization's directory. */
export const byDirectory = (tokenId: number, { ip, id }: Origin): AuditSource => ({
  actor: { kind: "scim", id: tokenId },
  credential: { kind: "scim_token", id: tokenId },
  ip,
  requestId: id,
});

/** A sync with the organization's LDAP directory. */
export const byProvider = ({ id }: { id: number }): AuditSource => ({
  actor: { kind: "identity_provider", id },
  credential: null,
  ip: null,
  requestId: null,
});

/** A command of the server's operator. */
export const byOperator: AuditSource = {
  actor: { kind: "operator", id: null },
  credential: null,
  ip: null,
  requestId: null,
};

/** A request by somebody who is not signed in. */
export const byAnybody = ({ ip, id }: Origin): AuditSource => ({
  actor: { kind: "anonymous", id: null },
  credential: null,
  ip,
  requestId: id,
});

type Fields = Record<string, unknown>;

export interface Change {
  action: AuditAction;
  target: { kind: AuditTarget; id: number | null };
  before?: Fields | null | undefined;
  after?: Fields | null | undefined;
}

interface Head {
  last_id: number;
  last_hash: Buffer;
}

/** The ends of the logs that transactions have locked. */
const locked = new WeakMap<object, Head>();

/**
 * Locks the end of the organization's log until the transaction ends. A transaction belongs to one organization. If another one
 * has it, this transaction starts over when it is its turn.
 */
export async function lockHead(tx: Tx, realmId: number): Promise<Head> {
  const head = await tryLockHead(tx, realmId);
  if (!head) throw startOver(realmId);
  return head;
}

/**
 * The same, but returns undefined if another transaction has it. The first entry of an organization creates it, in the
 * transaction that creates the organization, or later; only then another transaction may wait in the database.
 */
export async function tryLockHead(tx: Tx, realmId: number): Promise<Head | undefined> {
  const known = locked.get(tx);
  if (known) return known;
  if (isAwaited(tx, keyOf(realmId))) return undefined;
  const { rows } = await sql<Head>`
    with found as (
      select last_id, last_hash from audit_heads where realm_id = ${realmId} for no key update skip locked
    ),
    made as (
      insert into audit_heads (realm_id) select ${realmId}
      where not exists (select from audit_heads where realm_id = ${realmId})
      on conflict do nothing returning last_id, last_hash
    )
    select * from found union all select * from made`.execute(tx);
  const [head] = rows;
  if (head) locked.set(tx, head);
  return head;
}

const keyOf = (realmId: number): string => `the audit log's head of organization ${realmId}`;

/** Ends the transaction, which starts over with the head locked. */
export const startOver = (realmId: number): MustWait => new MustWait(keyOf(realmId), (tx) => waitForHead(tx, realmId));

async function waitForHead(tx: Tx, realmId: number): Promise<void> {
  const { rows } = await sql<Head>`
    insert into audit_heads (realm_id) values (${realmId})
    on conflict (realm_id) do update set realm_id = excluded.realm_id
    returning last_id, last_hash`.execute(tx);
  const [head] = rows;
  if (!head) throw new Error("unreachable: the statement returns the row it has inserted or updated");
  locked.set(tx, head);
}

/** Appends an entry, and emits it to administrators. */
export async function record(tx: Tx, realmId: number, source: AuditSource, change: Change): Promise<void> {
  const head = await lockHead(tx, realmId);
  const at = toTimestamp(new Date());
  const unsealed: AuditEntry = {
    id: head.last_id + 1,
    at,
    actor: source.actor,
    credential: source.credential,
    ip: source.ip,
    action: change.action,
    target: change.target,
    before: toJson(change.before),
    after: toJson(change.after),
    request_id: source.requestId,
    prev_hash: head.last_hash.toString("hex"),
    hash: "",
  };
  const entry = { ...unsealed, hash: hashOf(unsealed) };
  await sql`
    with entry as (
      insert into audit_log (realm_id, id, at, actor_kind, actor_id, credential_kind, credential_id, ip, action, target_kind,
        target_id, before, after, request_id, prev_hash, hash)
      values (${realmId}, ${entry.id}, to_timestamp(${at}), ${entry.actor.kind}, ${entry.actor.id},
        ${entry.credential?.kind ?? null}, ${entry.credential?.id ?? null}, ${entry.ip}, ${entry.action}, ${entry.target.kind},
        ${entry.target.id}, ${textOf(entry.before)}::jsonb, ${textOf(entry.after)}::jsonb, ${entry.request_id},
        decode(${entry.prev_hash}, 'hex'), decode(${entry.hash}, 'hex'))
      returning id, hash
    )
    update audit_heads h set last_id = entry.id, last_hash = entry.hash from entry where h.realm_id = ${realmId}`.execute(
    tx,
  );
  locked.set(tx, { last_id: entry.id, last_hash: Buffer.from(entry.hash, "hex") });
  emit(tx, realmId, { administrators: true }, { type: "audit_log", op: "add", entry });
}

const textOf = (fields: AuditEntry["before"]): string | null => (fields === null ? null : JSON.stringify(fields));

/** As it will be read from the database. */
const toJson = (fields: Fields | null | undefined): AuditEntry["before"] =>
  fields ? (JSON.parse(JSON.stringify(fields)) as AuditEntry["before"]) : null; // what JSON can hold
