/**
 * Decides who is notified of new messages. Sending does not wait for it: a worker follows a moment behind, in batches of
 * messages, with as many queries for a hundred recipients as for one.
 *
 * **Invariant:** each message is processed once, in the transaction that stores its notifications, whichever worker runs and
 * whichever crashes. Messages do not become visible in the order of their IDs. So the processed messages are stored as ranges
 * of IDs, starting where no further message can appear (see SettledIds); below that nothing needs to be stored.
 */
import { sql, type RawBuilder } from "kysely";
import type { Context } from "../../context.ts";
import type { Chore } from "../../jobs/chore.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { observation, type Observation } from "../messages/flags/settled-ids.ts";
import { addMissed } from "./missed-messages/add.ts";
import { addPushes } from "./push-devices/add.ts";
import { candidatesFor, type FollowedMessage } from "./candidates.ts";
import { factColumns, factJoins } from "./facts.ts";
import { takeRevisits } from "../messages/edits/notification-revisits.ts";
import type { Recipient } from "./recipient.ts";
import { notificationsDue, type Facts } from "./rule.ts";

const batchSize = 500;
/** A message to a large channel may have more recipients than are processed at once. */
const pageSize = 5000;
/** The worker has other chores; this one continues at its next turn. */
const maxRunMilliseconds = 500;

type FollowContext = Pick<Context, "config" | "db">;

/** Processes the next messages; returns whether there may be more. Below `settled` no message can appear any more. */
export async function followBatch(ctx: FollowContext, settled: number): Promise<boolean> {
  return transaction(ctx.db, "follow messages", async (tx) => {
    const progress = await lockProgress(tx);
    if (!progress) return false; // another worker is running
    const { rows: messages } = await sql<FollowedMessage>`
      select m.id, m.realm_id, m.conversation_id from messages m
      where m.id > ${progress.settled} and not m.id <@ ${progress.seen}::int8multirange
      order by m.id limit ${batchSize}`.execute(tx);
    const revisits = await takeRevisits(tx, batchSize);
    if (messages.length > 0 || revisits.length > 0)
      await storeNotifications(tx, ctx, candidatesFor(messages, revisits));
    const isMore = messages.length === batchSize;
    const processed = isMore ? Math.min(settled, messages.at(-1)?.id ?? 0) : settled;
    const beginning = Math.max(progress.settled, processed);
    if (messages.length > 0 || beginning > progress.settled) await storeProgress(tx, beginning, messages);
    return isMore || revisits.length === batchSize;
  });
}

async function lockProgress(tx: Tx): Promise<{ settled: number; seen: string } | undefined> {
  return tx.selectFrom("notification_progress").select(["settled", "seen"]).forUpdate().skipLocked().executeTakeFirst();
}

async function storeProgress(tx: Tx, settled: number, messages: readonly FollowedMessage[]): Promise<void> {
  await sql`
    update notification_progress set settled = ${settled}, seen = (seen + coalesce((
      select range_agg(int8range(id, id + 1)) from unnest(${messages.map(({ id }) => id)}::bigint[]) as id), '{}'))
      * int8multirange(int8range(${settled}, null, '()'))`.execute(tx);
}

async function storeNotifications(tx: Tx, { config }: FollowContext, candidates: RawBuilder<unknown>): Promise<void> {
  // Any order of so many joins could be right, and trying them takes much longer than running the statement.
  await sql`set local join_collapse_limit = 1`.execute(tx);
  await sql`
    declare concerned no scroll cursor for
    select pairs.message_id, pairs.user_id, m.realm_id, ${sql.raw(factColumns)}
    from (${candidates}) as pairs ${sql.raw(factJoins)}`.execute(tx);
  await sql`set local join_collapse_limit to default`.execute(tx); // it is planned, and other statements may need another order
  for (let isMore = true; isMore;) {
    const { rows } = await sql<Facts & Omit<Recipient, "due">>`
      fetch ${sql.lit(pageSize)} from concerned`.execute(tx);
    isMore = rows.length === pageSize;
    const recipients = rows
      .map((row) => ({ ...row, due: notificationsDue(row) }))
      .filter(({ due }) => Object.keys(due).length > 0);
    if (config.smtpUrl !== "") await addMissed(tx, recipients);
    await addPushes(tx, config, recipients);
  }
  await sql`close concerned`.execute(tx);
}

export const followMessages: Chore = {
  name: "looking for whom messages concern",
  everyMilliseconds: 500,
  run: async (ctx) => {
    const known = ctx.memory.settledIds.notifications;
    const { rows } = await sql<Observation>`${sql.raw(observation)}`.execute(ctx.db);
    if (rows[0]) known.observe(rows[0]);
    const started = performance.now();
    while (await followBatch(ctx, known.newest)) if (performance.now() - started > maxRunMilliseconds) break;
  },
};
