/** Maintains the id of a channel's oldest message, which is part of the channel's metadata. */
import { sql } from "kysely";
import { emit } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "./access.ts";
import { metadataAudiences } from "./audience.ts";

/** Call after messages were added or removed. The caller holds the channels' locks; `at` is a current message id. */
export async function refreshFirstMessages(tx: Tx, channelIds: readonly number[], at: number): Promise<void> {
  const { rows: changed } = await sql<Channel>`
    update channels c set first_message_id = oldest.id
    from (
      select channel_id, (select min(m.id) from messages m where m.conversation_id = channel_id) as id
      from unnest(${channelIds}::bigint[]) as channel_id
    ) as oldest
    where c.id = oldest.channel_id and c.first_message_id is distinct from oldest.id
    returning c.*`.execute(tx);
  if (changed.length === 0) return;
  const audiences = await metadataAudiences(tx, changed, at);
  for (const channel of changed) {
    const { id: stream_id, realm_id, name, first_message_id: value } = channel;
    for (const audience of audiences(channel))
      emit(tx, realm_id, audience, {
        type: "stream",
        op: "update",
        stream_id,
        name,
        property: "first_message_id",
        value,
      });
  }
}
