/**
 * Storage that must survive a reload: text that has not been sent yet. Each account has one IndexedDB database. It may open
 * late, be closed at any time, or refuse to store; callers must carry on without it.
 *
 *   blocked      another tab has an older version open: opening waits until that tab closes it
 *   blocking     another tab needs a newer version or erases the data: close it here and reopen it on next use
 *   terminated   the browser closed it: reopen it on next use
 */
import { deleteDB, openDB, type DBSchema, type IDBPDatabase } from "idb";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import type { Draft } from "./drafts.ts";
import type { Outgoing } from "./outbox.ts";

interface Schema extends DBSchema {
  /** Keyed with the tab that sends it. */
  outbox: { key: string; value: Outgoing & { tab: string } };
  drafts: { key: string; value: Draft };
}

type Connection = IDBPDatabase<Schema>;

const version = 1;

const nameFor = (userId: number): string => `skein-${userId}`;

/** The connection was lost during the operation; retrying on a new one may work. */
const lostConnection: ReadonlySet<string> = new Set(["InvalidStateError", "AbortError", "UnknownError"]);

export class Database {
  readonly #name: string;
  #connection: Promise<Connection> | undefined;
  #isErased = false;
  #hasComplained = false;

  constructor(userId: number) {
    this.#name = nameFor(userId);
  }

  /** Rejects when the browser cannot store data; the user is notified once. */
  async run<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isErased) throw new Error("The local data was erased");
    try {
      try {
        return await use(await this.#open());
      } catch (error) {
        if (!(error instanceof DOMException) || !lostConnection.has(error.name)) throw error;
        this.#connection = undefined;
        return await use(await this.#open());
      }
    } catch (error) {
      this.#complain(error);
      throw error;
    }
  }

  /** Stops all further writes. Clears the stores first, because other tabs may block deleting the database itself. */
  async erase(): Promise<void> {
    this.#isErased = true;
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    if (connection) {
      await Promise.all([connection.clear("outbox"), connection.clear("drafts")]).catch(() => undefined);
      connection.close();
    }
    await deleteDB(this.#name);
  }

  #open(): Promise<Connection> {
    const forget = (): void => {
      if (this.#connection === opening) this.#connection = undefined;
    };
    const opening: Promise<Connection> =
      this.#connection ??
      openDB<Schema>(this.#name, version, {
        upgrade(database) {
          database.createObjectStore("outbox", { keyPath: "localId" });
          database.createObjectStore("drafts", { keyPath: "key" });
        },
        blocking: () => {
          forget();
          void opening.then((connection) => connection.close());
        },
        terminated: forget,
      });
    if (this.#connection === undefined) {
      this.#connection = opening;
      opening.catch(forget);
    }
    return opening;
  }

  #complain(error: unknown): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    console.warn("Unsent text cannot be stored in this browser", error);
    toast(t("storage.failed"), { kind: "danger" });
  }
}
