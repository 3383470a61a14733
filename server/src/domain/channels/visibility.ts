/** Emits events to the users who gain or lose access to a channel's metadata because the channel has changed. */
import { sql } from "kysely";
import { toUsers } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { listSubscribers } from "./subscriptions/subscribers.ts";
import { metadataAccessSql, metadataPermissions, type Channel } from "./access.ts";
import { inChunks } from "../base/chunks.ts";
import { groupTables, manyReaders, metadataGroups } from "./many-readers.ts";
import { toChannelObjects, withoutSubscribers } from "./queries.ts";

/** Emits the channel to users who gain access, and its removal to those who lose it. Call after the change is written. */
export async function emitChannelAccessChanges(tx: Tx, before: Channel, after: Channel): Promise<void> {
  if (!mayChangeAccess(before, after)) return;
  const { gained, lost } = await listChanges(tx, before, after);
  if (gained.length > 0) await emitToGained(tx, after, gained);
  emitToLost(tx, after, lost);
}

/** Notifies users who lost access to the channel. */
export function emitToLost(tx: Tx, { id: stream_id, realm_id }: Channel, lost: readonly number[]): void {
  for (const users of inChunks(lost))
    emit(tx, realm_id, toUsers(users), {
      type: "stream",
      op: "delete",
      stream_ids: [stream_id],
      streams: [{ stream_id }],
    });
}

const mayChangeAccess = (before: Channel, after: Channel): boolean =>
  before.invite_only !== after.invite_only ||
  before.is_web_public !== after.is_web_public ||
  metadataPermissions.some((name) => before[`${name}_id`] !== after[`${name}_id`]);

async function listChanges(tx: Tx, before: Channel, after: Channel): Promise<{ gained: number[]; lost: number[] }> {
  const at = { subscription: "s", reader: manyReaders };
  const wasKnown = sql.raw<boolean>(metadataAccessSql({ ...at, channel: "before" }));
  const isKnown = sql.raw<boolean>(metadataAccessSql({ ...at, channel: "c" }));
  const { rows } = await sql<{ id: number; is_known: boolean }>`
    ${groupTables(metadataGroups([before, after]))}
    select * from (
      select u.id, ${wasKnown} as was_known, ${isKnown} as is_known
      from channels c join jsonb_populate_record(null::channels, ${JSON.stringify(before)}::jsonb) before on true
        join realms r on r.id = c.realm_id
        join users u on u.realm_id = r.id and u.is_active and not u.is_system_bot
        left join subscriptions s on s.user_id = u.id and s.channel_id = c.id
      where c.id = ${after.id}) as judged
    where was_known <> is_known order by id`.execute(tx);
  return {
    gained: rows.filter((row) => row.is_known).map((row) => row.id),
    lost: rows.filter((row) => !row.is_known).map((row) => row.id),
  };
}

/** Notifies users who gained access to the channel, and sends them its subscribers. */
export async function emitToGained(tx: Tx, channel: Channel, gained: readonly number[]): Promise<void> {
  const streams = (await toChannelObjects(tx, channel.realm_id, [channel])).map(withoutSubscribers);
  const subscribers = (await listSubscribers(tx, [channel])).get(channel.id) ?? [];
  for (const users of inChunks(gained)) {
    emit(tx, channel.realm_id, toUsers(users), { type: "stream", op: "create", streams });
    for (const user_ids of inChunks(subscribers))
      emit(tx, channel.realm_id, toUsers(users), {
        type: "subscription",
        op: "peer_add",
        stream_ids: [channel.id],
        user_ids,
      });
  }
}
