/** Changes of a user's own flags. Each is one statement, and a transaction of its own: it judges, changes and tells. */
import { messageFlags } from "@skein/api/flags.ts";
import { ApiError } from "../../errors.ts";
import { StaleSession, type User } from "../../http/sessions.ts";
import { plannedAnew, prepared, type Db } from "../../platform/db/connect.ts";
import { askerValues, invalidMessages } from "../messages/access.ts";
import { SettledIds, type Observation } from "./settled-ids.ts";
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

/** What is asked for, when it is something that can be done. */
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
  db: Db,
  user: User,
  { op, flag }: FlagChange,
  messageIds: number[],
): Promise<FlagChangeResult> {
  if (op === "add" && flag === "read") return markRead(db, user, messageIds, settledIds(db));
  const ids = [...new Set(messageIds)];
  const [row] = await ask(ids)<FlagChangeRow>(db, statements[op][flag], [...askerValues(user), ids]);
  return toResult(ids, row);
}

export async function markRead(
  db: Db,
  user: User,
  messageIds: number[],
  settled: SettledIds,
): Promise<FlagChangeResult> {
  const ids = [...new Set(messageIds)];
  const values = [...askerValues(user), ids, settled.newest];
  const [row] = await ask(ids)<FlagChangeRow & Observation>(db, statements.add.read, values);
  if (row) settled.observe(row);
  return toResult(ids, row);
}

/** From so many messages on the usual plan, which is made for a handful, takes longer than making another one. */
const manyMessages = 200;
const ask = (ids: number[]) => (ids.length < manyMessages ? prepared : plannedAnew);

function toResult(ids: number[], row: FlagChangeRow | undefined): FlagChangeResult {
  if (!row?.is_current) throw new StaleSession();
  if (!row.is_valid) throw invalidMessages();
  const changed = new Set(row.changed);
  return { changed: ids.filter((id) => changed.has(id)), notSubscribed: row.not_subscribed };
}

const settledByDb = new WeakMap<Db, SettledIds>();

function settledIds(db: Db): SettledIds {
  const known = settledByDb.get(db) ?? new SettledIds();
  settledByDb.set(db, known);
  return known;
}
