/**
 * Changes happen in a transaction. Only `transaction()` hands out a `Tx`, so a function that takes one cannot be called
 * outside a transaction. Work that belongs to the commit but should happen once (writing the emitted events) is deferred
 * with `beforeCommit`.
 */
import type { Transaction } from "kysely";
import { retryOnConflict } from "./conflicts.ts";
import type { Db } from "./connect.ts";
import type { Schema } from "./schema.ts";
import { isLineFor, MustWait, takeTurn } from "./turns.ts";

declare const handedOut: unique symbol;
export type Tx = Transaction<Schema> & { readonly [handedOut]: true };

/**
 * The connection was lost during the commit, so the transaction may or may not be stored. Data outside the database that
 * belongs to it must be kept, as if it were.
 */
export class CommitOutcomeUnknown extends Error {
  override name = "CommitOutcomeUnknown";
}

type Hook = (tx: Tx) => Promise<void>;
const hooks = new WeakMap<object, Map<unknown, Hook>>();

/** The database that a transaction belongs to. */
const databases = new WeakMap<object, Db>();

/** Whether transactions of this process wait in line for something. */
export function isAwaited(tx: Tx, key: string): boolean {
  const db = databases.get(tx);
  return db !== undefined && isLineFor(db, key);
}

/** Runs once before the transaction commits; a second hook under the same key replaces the first. */
export function beforeCommit(tx: Tx, key: unknown, hook: Hook): void {
  hooks.get(tx)?.set(key, hook);
}

/** Called after each transaction, for logs and metrics. */
export type TransactionObserver = (name: string, milliseconds: number, conflicts: number) => void;
let observe: TransactionObserver | undefined;
export function observeTransactions(observer: TransactionObserver): void {
  observe = observer;
}

/**
 * Runs `change` in a transaction; `name` identifies it in logs and metrics. `change` must have no effects outside the
 * database, because it is retried when PostgreSQL aborts it over a conflict, and when it has to wait for its turn.
 */
export async function transaction<T>(db: Db, name: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await attempt(db, name, begun, change);
  } catch (error) {
    if (!(error instanceof MustWait)) throw error;
    const endTurn = await takeTurn(db, error.key);
    try {
      return await attempt(db, name, begun, async (tx) => {
        await error.take(tx);
        return change(tx);
      });
    } finally {
      endTurn();
    }
  }
}

async function attempt<T>(db: Db, name: string, begun: number, change: (tx: Tx) => Promise<T>): Promise<T> {
  return retryOnConflict(async (conflicts) => {
    let isCommitting = false;
    try {
      const result = await db.transaction().execute(async (plain) => {
        const tx = plain as Tx; // the one place that hands out a Tx
        const own = new Map<unknown, Hook>();
        hooks.set(tx, own);
        databases.set(tx, db);
        const value = await change(tx);
        for (const hook of own.values()) await hook(tx);
        isCommitting = true;
        return value;
      });
      observe?.(name, performance.now() - begun, conflicts);
      return result;
    } catch (error) {
      if (isCommitting && !isRefusal(error))
        throw new CommitOutcomeUnknown(`${name}: unknown outcome`, { cause: error });
      throw error;
    }
  });
}

/** PostgreSQL reported that it did not commit. Errors about connections or a shutdown do not tell either way. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(?!08|57P0|40003)[0-9A-Z]{5}$/.test(String(error.code));
