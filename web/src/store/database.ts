/** What must survive a reload: text that was not sent yet. One database an account, in the browser. */
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { Draft } from "./drafts.ts";
import type { Outgoing } from "./outbox.ts";

interface Schema extends DBSchema {
  /** With the tab that sends it. */
  outbox: { key: string; value: Outgoing & { tab: string } };
  drafts: { key: string; value: Draft };
}

export type Database = IDBPDatabase<Schema>;

const version = 1;

const nameFor = (userId: number): string => `skein-${userId}`;

export const openDatabase = (userId: number): Promise<Database> =>
  openDB<Schema>(nameFor(userId), version, {
    upgrade(database) {
      database.createObjectStore("outbox", { keyPath: "localId" });
      database.createObjectStore("drafts", { keyPath: "key" });
    },
  });
