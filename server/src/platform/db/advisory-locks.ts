/**
 * PostgreSQL identifies advisory locks by numbers only. All of them are assigned here, so that no two uses share one.
 * There are two independent key spaces: single 64-bit keys, and pairs of 32-bit keys whose first number is the kind of lock.
 *
 * A number never changes, because nodes of two releases run side by side during an upgrade and must exclude each other.
 */
import { sql } from "kysely";
import type { Tx } from "./transaction.ts";

/** Single keys. A channel's lock is its own id, far below these. */
export const lockKeys = {
  migrations: 7_303_014_229,
  relaySetUp: 7_303_014_230,
  /** Shared: a process starts and compares the schema; exclusive: a contract migration. */
  contraction: 7_303_014_231,
  /** In the directory's database: whoever creates its tables. */
  directory: 7_303_014_232,
} as const;

/** First keys of pairs. */
export const lockKinds = {
  /** With a hash of the sender's id. */
  muting: 7303,
  /** With the user id modulo a small number, see users/list-lock.ts. */
  lists: 7304,
  /** With a hash of the organization and a user name. */
  loginTries: 7305,
  /** The next three with a hash of the organization and an e-mail address. */
  resetMail: 7306,
  registrationMail: 7307,
  newOrganizationMail: 7308,
  /** With `importLockKey` of the organization. */
  imports: 7309,
  /** The next three with a hash of the organization's id, see data/cells/move/. */
  moving: 7310,
  movingNotifications: 7311,
  mover: 7312,
  /** With a hash of the organization and a person at an identity provider. */
  externalIdentity: 7320,
} as const;
export type LockKind = (typeof lockKinds)[keyof typeof lockKinds];

/** The organization's id, of which cells other than the first have ids beyond 32 bits. */
export const importLockKey = (realmId: number): number => realmId % 2 ** 31;

/**
 * Locks a name within an organization until the transaction ends. It must be a separate statement: only the next one sees
 * what others wrote while this one waited.
 */
export async function lockName(tx: Tx, kind: LockKind, realmId: number, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(kind)}, hashtext(${`${realmId} ${name}`}))`.execute(tx);
}
