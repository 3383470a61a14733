/**
 * Turns at something that one transaction at a time can have until it commits, such as the end of an organization's audit log.
 * Whoever finds it taken does not wait with a connection in its hands: a few such transactions would take all connections of
 * the process, and everybody else would wait with them. It throws `MustWait` instead. Then `transaction()` rolls it back, lets
 * it wait in line without a connection, and starts over.
 *
 * A line is one process's. Of each process at most one transaction waits in the database, for those of the others.
 */
import type { Db } from "./connect.ts";
import type { Tx } from "./transaction.ts";

export class MustWait extends Error {
  override name = "MustWait";
  /** What it waits for. */
  readonly key: string;
  /** Takes it, even if that means to wait for another process: the first thing that the transaction does in its turn. */
  readonly take: (tx: Tx) => Promise<void>;

  constructor(key: string, take: MustWait["take"]) {
    super(`another transaction has ${key}`);
    this.key = key;
    this.take = take;
  }
}

/** Has the code of a lock timeout, so that it is answered like one: with status 503 and when to try again. */
export class WaitedTooLong extends Error {
  override name = "WaitedTooLong";
  readonly code = "55P03";
}

/** Longer than the database's lock timeout, because who waits here is in nobody's way. */
const patienceMilliseconds = 60_000;

/** Those who wait, by what they wait for. A line exists while somebody has the turn. */
const lines = new WeakMap<Db, Map<string, (() => void)[]>>();

/** Whether others wait already: who comes now has to wait, too, even if it happens to be free at the moment. */
export const isLineFor = (db: Db, key: string): boolean => lines.get(db)?.has(key) ?? false;

/** Returns when it is the caller's turn, with how to end it. */
export async function takeTurn(db: Db, key: string, patience = patienceMilliseconds): Promise<() => void> {
  const ofDatabase = lines.get(db) ?? new Map<string, (() => void)[]>();
  lines.set(db, ofDatabase);
  const line = ofDatabase.get(key) ?? [];
  const end = (): void => {
    const next = line.shift();
    if (next) next();
    else ofDatabase.delete(key);
  };
  if (!ofDatabase.has(key)) {
    ofDatabase.set(key, line);
    return end;
  }
  await new Promise<void>((resolve, reject) => {
    const giveUp = setTimeout(() => {
      line.splice(line.indexOf(next), 1);
      reject(new WaitedTooLong(`waited too long for ${key}`));
    }, patience);
    const next = (): void => {
      clearTimeout(giveUp);
      resolve();
    };
    line.push(next);
  });
  return end;
}
