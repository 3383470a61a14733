/** What remains when all messages are stored: facts about channels that follow from them, and the clients. */
import { sql } from "kysely";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { refreshActivity } from "../../../channels/activity.ts";
import { refreshFirstMessages } from "../../../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../../../channels/lock.ts";
import type { SourceChannel } from "../source.ts";
import { deactivateGroups } from "./extras/groups.ts";
import type { Import } from "./import-context.ts";
import { joinRanges } from "./protected-history.ts";

const batchSize = 50;

export interface StoredChannel {
  conversation_id: number;
  is_new: boolean;
  data: SourceChannel;
}

export async function finish(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId } = run;
  let done = checkpoint;
  for (;;) {
    const { rows } = await sql<StoredChannel & { n: number }>`
      select n, conversation_id, is_new, data from import_places
      where realm_id = ${realmId} and not is_direct and conversation_id is not null and n > ${done}
      order by n limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) break;
    await run.batch("finish importing channels", last.n, async (tx) => {
      await settleChannels(tx, rows);
      await joinRanges(
        tx,
        run,
        rows.map((row) => row.conversation_id),
      );
    });
    done = last.n;
  }
  await deactivateGroups(run, done);
  await refreshActivity(run.ctx, realmId, Date.now());
}

/** Adapts channels to the messages that are stored in them. */
export async function settleChannels(tx: Tx, channels: readonly StoredChannel[]): Promise<void> {
  const ids = [...new Set(channels.map((channel) => channel.conversation_id))];
  const created = channels.filter((channel) => channel.is_new);
  const at = await lockChannelsForSubscriptionChange(tx, ids);
  await refreshFirstMessages(tx, ids, at);
  await dateChannels(
    tx,
    created.map((channel) => channel.conversation_id),
  );
  const archived = created.filter(({ data }) => data.isArchived).map((channel) => channel.conversation_id);
  await sql`update channels set is_archived = true where id = any(${archived}::bigint[])`.execute(tx);
}

/** A channel is at least as old as its first message. */
async function dateChannels(tx: Tx, ids: number[]): Promise<void> {
  await sql`
    update channels c set date_created = m.date_sent from messages m
    where c.id = any(${ids}::bigint[]) and m.id = c.first_message_id and m.date_sent < c.date_created`.execute(tx);
}
