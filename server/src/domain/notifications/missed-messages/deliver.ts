/**
 * Sends a batch of missed messages: one mail per conversation, with the messages that still need a notification.
 *
 * **Invariant:** a mail's Message-ID is derived from its batch and its conversation, and its messages are removed from the
 * batch right after sending. So if a worker crashes in between, the mail is sent again with the same Message-ID, and mail
 * programs show it once.
 */
import { createHash } from "node:crypto";
import { presenceOfflineThresholdSeconds } from "@skein/api/presence.ts";
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { job } from "../../../jobs/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { conversationKey } from "../conversation.ts";
import { findReader, judgeMessages, type Reader } from "../judged-messages.ts";
import { settingOf } from "../../people/settings/state.ts";
import { missedMessagesMail, type Conversation } from "./mail.ts";

/** Messages per batch; the rest go into the next one. */
const maxMessages = 1000;
/** About a day and a half, as for other mail. */
const maxAttempts = 11;

const payload = z.object({ user_id: z.int(), batch_id: z.string() });
type Batch = z.output<typeof payload>;

export const deliverMissedMessages = job({
  name: "deliver-missed-messages",
  payload,
  maxAttempts,
  run: async (ctx, batch, { attempt }) => {
    const ids = await listMissed(ctx, batch);
    if (!ids) return;
    try {
      if ((await deliver(ctx, batch, ids)) === "reader is present") return await postpone(ctx, batch);
    } catch (error) {
      if (attempt < maxAttempts) throw error;
      ctx.metrics.notifications.inc({ kind: "mail", outcome: "given up" });
      ctx.metrics.mails.inc({ outcome: "given up" });
      ctx.logger.error({ err: error, user_id: batch.user_id }, "giving up on mailing missed messages");
    }
    await conclude(ctx, batch, ids);
  },
});

/** Undefined if the batch no longer exists. */
async function listMissed({ db }: Context, { user_id, batch_id }: Batch): Promise<number[] | undefined> {
  const { rows } = await sql<{ ids: number[] }>`
    select array(
      select message_id from missed_messages where user_id = b.user_id order by message_id limit ${maxMessages}) as ids
    from missed_message_batches b where b.user_id = ${user_id} and b.id = ${batch_id}`.execute(db);
  return rows[0]?.ids;
}

async function deliver(ctx: Context, batch: Batch, ids: number[]): Promise<"reader is present" | "done"> {
  const reader = await findReader(ctx.db, batch.user_id);
  if (!reader) return "done";
  const due = (await judgeMessages(ctx.db, reader.id, ids)).filter((message) => message.due.mail);
  if (due.some((message) => message.due.mail?.isNow === false)) return "reader is present";
  ctx.metrics.notifications.inc({ kind: "mail", outcome: "no longer due" }, ids.length - due.length);
  for (const [key, messages] of Map.groupBy(due, conversationKey)) {
    const [first, ...rest] = messages;
    if (first) await send(ctx, reader, mailId(batch, key), [first, ...rest]);
    await forget(
      ctx.db,
      batch,
      messages.map(({ id }) => id),
    );
  }
  return "done";
}

/** For the Message-ID: always the same for a given batch and conversation. */
function mailId({ batch_id }: Batch, key: string): string {
  return createHash("sha256").update(`${batch_id} ${key}`).digest("hex").slice(0, 32);
}

async function send(ctx: Context, reader: Reader, id: string, messages: Conversation): Promise<void> {
  const result = await ctx.mailer.send({ id, ...missedMessagesMail(ctx.config, reader, messages) });
  ctx.metrics.notifications.inc({ kind: "mail", outcome: result.outcome });
  if (result.outcome === "refused")
    ctx.logger.warn(
      { user_id: reader.id, reason: result.reason },
      "mail about missed messages was rejected permanently",
    );
}

/** Readers remove messages concurrently; both lock them in the same order, so that they cannot deadlock. */
async function forget(db: Db, { user_id }: Batch, ids: readonly number[]): Promise<void> {
  await sql`
    with gone as materialized (
      select message_id from missed_messages where user_id = ${user_id} and message_id = any(${ids}::bigint[])
      order by message_id for update)
    delete from missed_messages m using gone where m.user_id = ${user_id} and m.message_id = gone.message_id`.execute(
    db,
  );
}

/** The reader has come back in the meantime, so try again when they may have left. */
async function postpone({ db }: Context, { user_id, batch_id }: Batch): Promise<void> {
  await sql`
    update missed_message_batches set due_at = now() + make_interval(secs => ${presenceOfflineThresholdSeconds})
    where user_id = ${user_id} and id = ${batch_id}`.execute(db);
}

/** Messages that arrived in the meantime start a new batch. */
async function conclude({ db }: Context, batch: Batch, ids: number[]): Promise<void> {
  const { user_id, batch_id } = batch;
  await transaction(db, "conclude missed messages", async (tx) => {
    const { rows } = await sql<{ settings: unknown }>`
      select u.settings from missed_message_batches b join users u on u.id = b.user_id
      where b.user_id = ${user_id} and b.id = ${batch_id} for update of b`.execute(tx);
    const [open] = rows;
    if (!open) return;
    const period = settingOf(open, "email_notifications_batching_period_seconds");
    await forget(tx, batch, ids);
    await sql`
      with next as (
        update missed_message_batches set id = gen_random_uuid(), due_at = now() + make_interval(secs => ${period})
        where user_id = ${user_id} and exists (select from missed_messages where user_id = ${user_id}))
      delete from missed_message_batches
      where user_id = ${user_id} and not exists (select from missed_messages where user_id = ${user_id})`.execute(tx);
  });
}
