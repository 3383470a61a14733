/**
 * Changes happen in a transaction, and only here is one handed out: a function that takes a `Tx` cannot be called
 * outside one. Work that must be part of the commit but is better done once (telling of events) is put off with
 * `beforeCommit`.
 */
import type { Transaction } from "kysely";
import { againAtConflict } from "./conflicts.ts";
import type { Db } from "./connect.ts";
import type { Schema } from "./schema.ts";

declare const handedOut: unique symbol;
export type Tx = Transaction<Schema> & { readonly [handedOut]: true };

type Hook = (tx: Tx) => Promise<void>;
const hooks = new WeakMap<object, Map<unknown, Hook>>();

/** Runs once before the transaction commits; a second hook under the same key replaces the first. */
export function beforeCommit(tx: Tx, key: unknown, hook: Hook): void {
  hooks.get(tx)?.set(key, hook);
}

/** What happened to a transaction, for logs and metrics. */
export type TransactionObserver = (name: string, milliseconds: number, conflicts: number) => void;
let observe: TransactionObserver | undefined;
export function observeTransactions(observer: TransactionObserver): void {
  observe = observer;
}

/**
 * Runs `change` in a transaction of its own. `name` says what it does, in logs and metrics. When PostgreSQL breaks it
 * off because two changes waited for each other, it is run again: `change` must do nothing outside the database.
 */
export async function transaction<T>(db: Db, name: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  const begun = performance.now();
  return againAtConflict(async (conflicts) => {
    const result = await db.transaction().execute(async (plain) => {
      const tx = plain as Tx; // this is the one place that hands it out
      const own = new Map<unknown, Hook>();
      hooks.set(tx, own);
      const value = await change(tx);
      for (const hook of own.values()) await hook(tx);
      return value;
    });
    observe?.(name, performance.now() - begun, conflicts);
    return result;
  });
}
