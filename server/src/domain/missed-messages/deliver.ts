/**
 * Sends the mail somebody waits for: one for each conversation, about what is still to be told at this moment.
 *
 * **Invariant:** a mail goes out under a name that follows from its batch and its conversation, and what it told of is
 * taken out right after. So whoever dies in between, and however often it is tried, a mail sent a second time bears the
 * name of the first, which mail programs show once.
 */
import { createHash } from "node:crypto";
import { presenceOfflineThresholdSeconds } from "@skein/api/presence.ts";
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { job } from "../../jobs/job.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { conversationKey } from "../notifications/conversation.ts";
import { findReader, judgeMessages, type Reader } from "../notifications/judged-messages.ts";
import { settingOf } from "../settings/state.ts";
import { missedMessagesMail, type Conversation } from "./mail.ts";

/** So many messages are looked at for one batch; the rest is told in the next. */
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
      if ((await deliver(ctx, batch, ids)) === "reader is there") return await putOff(ctx, batch);
    } catch (error) {
      if (attempt < maxAttempts) throw error;
      ctx.metrics.notifications.inc({ kind: "mail", outcome: "given up" });
      ctx.logger.error({ err: error, user_id: batch.user_id }, "missed messages could not be mailed; given up");
    }
    await conclude(ctx, batch, ids);
  },
});

/** Undefined when the batch is over. */
async function listMissed({ db }: Context, { user_id, batch_id }: Batch): Promise<number[] | undefined> {
  const { rows } = await sql<{ ids: number[] }>`
    select array(
      select message_id from missed_messages where user_id = b.user_id order by message_id limit ${maxMessages}) as ids
    from missed_message_batches b where b.user_id = ${user_id} and b.id = ${batch_id}`.execute(db);
  return rows[0]?.ids;
}

async function deliver(ctx: Context, batch: Batch, ids: number[]): Promise<"reader is there" | "done"> {
  const reader = await findReader(ctx.db, batch.user_id);
  if (!reader) return "done";
  const due = (await judgeMessages(ctx.db, reader.id, ids)).filter((message) => message.due.mail);
  if (due.some((message) => message.due.mail?.isNow === false)) return "reader is there";
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

/** A name as mail has it: always the same for the same batch and conversation. */
function mailId({ batch_id }: Batch, key: string): string {
  return createHash("sha256").update(`${batch_id} ${key}`).digest("hex").slice(0, 32);
}

async function send(ctx: Context, reader: Reader, id: string, messages: Conversation): Promise<void> {
  const result = await ctx.mailer.send({ id, ...missedMessagesMail(ctx.config, reader, messages) });
  ctx.metrics.notifications.inc({ kind: "mail", outcome: result.outcome });
  if (result.outcome === "refused")
    ctx.logger.warn({ user_id: reader.id, reason: result.reason }, "mail about missed messages was refused for good");
}

/** Whoever reads at this moment takes messages out too, likewise in their order. */
async function forget(db: Db, { user_id }: Batch, ids: readonly number[]): Promise<void> {
  await sql`
    with gone as materialized (
      select message_id from missed_messages where user_id = ${user_id} and message_id = any(${ids}::bigint[])
      order by message_id for update)
    delete from missed_messages m using gone where m.user_id = ${user_id} and m.message_id = gone.message_id`.execute(
    db,
  );
}

/** Whoever came back while the mail was on its way is asked after again when they may have left. */
async function putOff({ db }: Context, { user_id, batch_id }: Batch): Promise<void> {
  await sql`
    update missed_message_batches set due_at = now() + make_interval(secs => ${presenceOfflineThresholdSeconds})
    where user_id = ${user_id} and id = ${batch_id}`.execute(db);
}

/** What came meanwhile is for a mail of its own. */
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
