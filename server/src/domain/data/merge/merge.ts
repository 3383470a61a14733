/**
 * Merges an account into another of the same person: everything of `from` then belongs to `into`, and `from` remains as a
 * deactivated account without data.
 *
 * 1. `from` is deactivated. From now on it does nothing, nobody can write to it, and its sessions are over. Transactions
 *    that had begun by then may not have noticed, so the merge waits for them.
 * 2. Everything moves, in transactions short enough not to block others. Each finds what is left, so it does not matter
 *    where an earlier attempt ended, or whether two processes do it at once; each locks the merge's record first.
 * 3. No event can describe this, so the last transaction ends all event queues of the organization: clients register
 *    again, and see the result.
 *
 * A request of `from` that had passed authentication may still write something after all that, and a text that was
 * rendered earlier may still be sent. A job looks for those a few minutes later (jobs.ts).
 */
import { sql } from "kysely";
import { endQueues, endQueuesInFlight } from "../../../events/end-queues.ts";
import type { Realm } from "../../../identity/account.ts";
import { enqueue } from "../../../jobs/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { untilOthersEnd } from "../../../platform/db/running-transactions.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { listConversations, mergeConversation } from "./conversations.ts";
import { beginMerge } from "./begin.ts";
import { moveMessages, rewriteEdits, rewriteMessages, type Stretch } from "./messages.ts";
import type { Renaming } from "./mentions.ts";
import { removeMutes, uniteMutes } from "./mutes.ts";
import type { Pair } from "./pair.ts";
import { moveRows } from "./rules.ts";
import { uniteSubscriptions } from "./subscriptions.ts";
import { sweepMerged, sweepDelayMilliseconds } from "./sweep-name.ts";

/** Rows per transaction. */
const movedAtOnce = 500;
/** Messages that one transaction searches for mentions. */
const searchedAtOnce = 20_000;

export interface Merged {
  messages: number;
  conversations: number;
  channels: number;
  mentions: number;
  /** Reactions, flags, files, drafts and so on. */
  other: number;
}

type Progress = (text: string) => void;

/** If it is interrupted, calling it again continues. */
export async function mergeUsers(
  db: Db,
  realm: Realm,
  fromId: number,
  intoId: number,
  onProgress: Progress = () => undefined,
): Promise<Merged> {
  const pair = await transaction(db, "begin merge", (tx) => beginMerge(tx, realm, fromId, intoId));
  await untilOthersEnd(db, (left) => onProgress(`waiting for ${left} transactions that began earlier`));
  const done = await moveEverything(db, pair, onProgress);
  const xid = await step(db, pair, "finish merge", async (tx) => {
    await moveRest(tx, pair, done);
    const { first_id, first_edit_id } = await recordOf(tx, pair);
    const since = { message: first_id, edit: first_edit_id };
    const runAt = new Date(Date.now() + sweepDelayMilliseconds);
    await enqueue(tx, sweepMerged, { from: fromId, since }, { runAt, key: `sweep-merged-${fromId}` });
    return endQueues(tx, realm.id);
  });
  await endQueuesInFlight(db, realm.id, xid);
  await sql`update user_merges set finished_at = now() where from_id = ${fromId} and finished_at is null`.execute(db);
  return done;
}

/** A transaction of a merge. Two processes that do the same merge take turns. */
async function step<T>(db: Db, pair: Pair, name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(db, name, async (tx) => {
    if ((await lockRecord(tx, pair)).into_id !== pair.into.id)
      throw new Error(`${pair.from.full_name} was merged into another account meanwhile.`);
    return work(tx);
  });
}

async function lockRecord(tx: Tx, pair: Pair): Promise<{ into_id: number }> {
  const { rows } = await sql<{ into_id: number; is_active: boolean }>`
    select m.into_id, u.is_active from user_merges m join users u on u.id = m.from_id
    where m.from_id = ${pair.from.id} for update of m for share of u`.execute(tx);
  const [row] = rows;
  if (row?.is_active !== false)
    throw new Error(`${pair.from.full_name} was reactivated during the merge. Run the command again to continue.`);
  return row;
}

async function moveEverything(db: Db, pair: Pair, onProgress: Progress): Promise<Merged> {
  const done: Merged = { messages: 0, conversations: 0, channels: 0, mentions: 0, other: 0 };
  done.channels = await step(db, pair, "merge subscriptions", async (tx) => {
    await uniteMutes(tx, pair);
    return uniteSubscriptions(tx, pair);
  });
  await moveConversations(db, pair, done, onProgress);
  for (let moved = movedAtOnce; moved === movedAtOnce;) {
    moved = await step(db, pair, "merge messages", (tx) => moveMessages(tx, pair, movedAtOnce));
    done.messages += moved;
    if (moved > 0) onProgress(`moved ${done.messages} messages`);
  }
  await searchMessages(db, pair, done, onProgress);
  for (let isMore = true; isMore;) {
    const { most, total } = await step(db, pair, "merge rows", async (tx) =>
      moveRows(tx, await renamingOf(tx, pair), movedAtOnce),
    );
    done.other += total;
    isMore = most >= movedAtOnce;
    if (total > 0) onProgress(`moved ${done.other} reactions, flags, files and other rows`);
  }
  return done;
}

async function moveConversations(db: Db, pair: Pair, done: Merged, onProgress: Progress): Promise<void> {
  const ids = await step(db, pair, "list conversations", (tx) => listConversations(tx, pair));
  for (const id of ids) {
    const merge = () => step(db, pair, "merge conversation", (tx) => mergeConversation(tx, pair, id, movedAtOnce));
    while (!(await merge()));
    done.conversations++;
    if (done.conversations % 100 === 0) onProgress(`moved ${done.conversations} of ${ids.length} direct conversations`);
  }
}

/** Searches what has not been searched. A transaction that is rolled back has searched nothing. */
async function searchMessages(db: Db, pair: Pair, done: Merged, onProgress: Progress): Promise<void> {
  for (let isMore = true; isMore;) {
    const { searched, last, found } = await step(db, pair, "merge mentions", (tx) =>
      searchNext(tx, pair, searchedAtOnce),
    );
    done.mentions += found;
    isMore = searched < last;
    if (last > searchedAtOnce) onProgress(`searched messages for mentions up to ID ${searched} of ${last}`);
  }
}

async function searchNext(
  tx: Tx,
  pair: Pair,
  atOnce: number,
): Promise<{ searched: number; last: number; found: number }> {
  const { searched_id, searched_edit_id } = await recordOf(tx, pair);
  const newest = await newestIds(tx);
  const renaming = await renamingOf(tx, pair);
  const stretch = (after: number, last: number): Stretch => ({ after, last: Math.min(last, after + atOnce) });
  const messages = stretch(Math.min(await beforeNext(tx, searched_id), newest.message), newest.message);
  // Edits come last: an edited message that was searched before is searched again.
  const isLast = messages.last === newest.message;
  const edits = stretch(searched_edit_id, isLast ? newest.edit : searched_edit_id);
  const found = (await rewriteMessages(tx, renaming, messages)) + (await rewriteEdits(tx, renaming, edits));
  await sql`update user_merges set searched_id = ${messages.last}, searched_edit_id = ${edits.last}
    where from_id = ${pair.from.id}`.execute(tx);
  return { searched: messages.last + edits.last, last: newest.message + newest.edit, found };
}

/** The last id after which there is a message. Ids have gaps: those that are kept for imports are a billion. */
async function beforeNext(tx: Tx, id: number): Promise<number> {
  const { rows } = await sql<{ next: number | null }>`select min(id) as next from messages where id > ${id}`.execute(
    tx,
  );
  return (rows[0]?.next ?? Number.MAX_SAFE_INTEGER) - 1;
}

/** All that is left, in one transaction. */
async function moveRest(tx: Tx, pair: Pair, done: Merged): Promise<void> {
  const all = Number.MAX_SAFE_INTEGER;
  await uniteMutes(tx, pair);
  done.channels += await uniteSubscriptions(tx, pair);
  for (const id of await listConversations(tx, pair)) {
    await mergeConversation(tx, pair, id, all);
    done.conversations++;
  }
  done.messages += await moveMessages(tx, pair, all);
  done.mentions += (await searchNext(tx, pair, all)).found;
  done.other += (await moveRows(tx, await renamingOf(tx, pair), all)).total;
  await removeMutes(tx, pair);
}

/**
 * For the job. Unlike the merge, it searches only messages since then, and leaves the clients alone if it finds nothing.
 * Returns how much it found.
 */
export async function sweep(db: Db, pair: Pair, since: { message: number; edit: number }): Promise<number> {
  return transaction(db, "sweep merged account", async (tx) => {
    await lockRecord(tx, pair);
    await sql`update user_merges set searched_id = ${since.message}, searched_edit_id = ${since.edit}
      where from_id = ${pair.from.id}`.execute(tx);
    const found: Merged = { messages: 0, conversations: 0, channels: 0, mentions: 0, other: 0 };
    await moveRest(tx, pair, found);
    const total = Object.values(found).reduce((sum: number, count: number) => sum + count, 0);
    if (total > 0) await endQueues(tx, pair.realmId);
    return total;
  });
}

const recordOf = (tx: Tx, { from }: Pair) =>
  tx.selectFrom("user_merges").selectAll().where("from_id", "=", from.id).executeTakeFirstOrThrow();

/** Of messages and of edits; ids above are assigned later. */
export async function newestIds(tx: Tx): Promise<{ message: number; edit: number }> {
  const { rows } = await sql<{ message: number; edit: number }>`
    select (select last_value from messages_id_seq) as message, (select last_value from edit_ids) as edit`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("unreachable: a select without from returns a row");
  return row;
}

async function renamingOf(tx: Tx, pair: Pair): Promise<Renaming> {
  const { rows } = await sql<{ id: number }>`
    select id from users where realm_id = ${pair.realmId} and lower(full_name) = lower(${pair.from.full_name})
      and id not in (${pair.from.id}, ${pair.into.id})`.execute(tx);
  return { ...pair, namesakes: rows.map(({ id }) => id) };
}
