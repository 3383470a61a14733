import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Recipient } from "../recipient.ts";
import { settingOf } from "../../people/settings/state.ts";

/**
 * Adds messages to each reader's pending batch, or starts a new one. The batch is locked first, so that a worker that is
 * sending it either includes the new message or leaves it to the next batch.
 */
export async function addMissed(tx: Tx, recipients: readonly Recipient[]): Promise<void> {
  const missed = recipients.filter(({ due }) => due.mail);
  if (missed.length === 0) return;
  const users = missed.map(({ user_id }) => user_id);
  const realms = missed.map(({ realm_id }) => realm_id);
  const periods = missed.map((one) => settingOf(one, "email_notifications_batching_period_seconds"));
  await sql`
    insert into missed_message_batches (user_id, realm_id, due_at)
    select distinct on (user_id) user_id, realm_id, now() + make_interval(secs => period)
    from unnest(${users}::bigint[], ${realms}::bigint[], ${periods}::integer[]) as missed (user_id, realm_id, period)
    order by user_id
    on conflict (user_id) do update set due_at = missed_message_batches.due_at`.execute(tx);
  await sql`
    insert into missed_messages (user_id, message_id, realm_id)
    select * from unnest(${users}::bigint[], ${missed.map((one) => one.message_id)}::bigint[], ${realms}::bigint[])
    on conflict do nothing`.execute(tx);
}
