import type { Context } from "../../../../context.ts";
import type { User } from "../../../../identity/account.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import type { Source } from "../source.ts";
import type { FileFetcher } from "./fetch-file.ts";
import type { Plan } from "./plan.ts";
import type { Report } from "./report.ts";
import type { Statistics } from "./statistics.ts";

export const phases = [
  "reading the export",
  "putting messages in order",
  "people",
  "settings",
  "channels",
  "emoji",
  "profiles",
  "files",
  "topics",
  "messages",
  "own things",
  "read state",
  "finishing",
] as const;
export type Phase = (typeof phases)[number];

export interface Progress {
  phase: Phase;
  done: number;
  /** 0 if unknown. */
  total: number;
}

/** What the parts of an import share. */
export interface Import {
  ctx: Pick<Context, "config" | "consequences" | "db" | "files" | "memory" | "secretBox">;
  db: Db;
  id: number;
  source: Source;
  /** Fetches files that the export only links to, if the operator wants that. */
  fetcher: FileFetcher | undefined;
  plan: Plan;
  /** Acts where an action needs somebody: an owner of the organization. */
  owner: User;
  realmId: number;
  /** Stored with each batch. */
  report: Report;
  /** Ids of its messages: [first, end). */
  ids: { first: number; end: number };
  /**
   * Runs a batch: one transaction that also stores the report and the checkpoint. `change` counts into the report that
   * it is given.
   */
  batch: <T>(name: string, checkpoint: number, change: (tx: Tx, report: Report) => Promise<T>) => Promise<T>;
  /** The same for a transaction of somebody else. */
  checkpointWithin: (tx: Tx, checkpoint: number, count: (report: Report) => void) => Promise<void>;
  statistics: Statistics;
  onProgress: (progress: Progress) => void;
}
