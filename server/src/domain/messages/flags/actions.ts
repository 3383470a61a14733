/**
 * Changes of a user's own flags. Each is one statement and its own transaction: it checks access, changes the flags and
 * emits the event.
 */
import { messageFlags } from "@skein/api/flags.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { queryWithFreshPlan, prepared, type Db } from "../../../platform/db/connect.ts";
import { callerValues, invalidMessages } from "../access.ts";
import type { SettledIds, Observation } from "./settled-ids.ts";
import { markReadStatement } from "./mark-read.ts";
import { markUnreadStatement } from "./mark-unread.ts";
import { changeSparse } from "./sparse-flags.ts";
import type { FlagChangeRow } from "./statement-parts.ts";

const statements = {
  add: {
    read: markReadStatement,
    starred: changeSparse("add", "starred"),
    collapsed: changeSparse("add", "collapsed"),
  },
  remove: {
    read: markUnreadStatement,
    starred: changeSparse("remove", "starred"),
    collapsed: changeSparse("remove", "collapsed"),
  },
};

export interface FlagChange {
  op: "add" | "remove";
  flag: "read" | "starred" | "collapsed";
}

/** The requested change; throws if there is no such change. */
export function readFlagChange(op: string, flag: string): FlagChange {
  const names: readonly string[] = messageFlags;
  if (!names.includes(flag)) throw new ApiError(`Invalid flag: '${flag}'`);
  if (flag !== "read" && flag !== "starred" && flag !== "collapsed") throw new ApiError(`Flag not editable: '${flag}'`);
  if (op !== "add" && op !== "remove") throw new ApiError(`Invalid message flag operation: '${op}'`);
  return { op, flag };
}

export interface FlagChangeResult {
  /** In the order they were given. */
  changed: number[];
  /** Channels whose messages were left alone because the user is not subscribed. */
  notSubscribed: number[];
}

export async function updateFlags(
  { db, memory }: Pick<Context, "db" | "memory">,
  user: User,
  { op, flag }: FlagChange,
  messageIds: number[],
): Promise<FlagChangeResult> {
  if (op === "add" && flag === "read") return markRead(db, user, messageIds, memory.settledIds.reading);
  const ids = [...new Set(messageIds)];
  const [row] = await runnerFor(ids)<FlagChangeRow>(db, statements[op][flag], [...callerValues(user), ids]);
  return toResult(ids, row);
}

export async function markRead(
  db: Db,
  user: User,
  messageIds: number[],
  settled: SettledIds,
): Promise<FlagChangeResult> {
  const ids = [...new Set(messageIds)];
  const values = [...callerValues(user), ids, settled.newest];
  const [row] = await runnerFor(ids)<FlagChangeRow & Observation>(db, statements.add.read, values);
  if (row) settled.observe(row);
  return toResult(ids, row);
}

/** From this many messages on, the cached plan, which is made for a handful, takes longer than planning again. */
const manyMessages = 200;
const runnerFor = (ids: number[]) => (ids.length < manyMessages ? prepared : queryWithFreshPlan);

function toResult(ids: number[], row: FlagChangeRow | undefined): FlagChangeResult {
  if (!row?.is_current) throw new StaleSession();
  if (!row.is_valid) throw invalidMessages();
  const changed = new Set(row.changed);
  return { changed: ids.filter((id) => changed.has(id)), notSubscribed: row.not_subscribed };
}
