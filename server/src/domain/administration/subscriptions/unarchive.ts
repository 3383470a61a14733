/** The subscription events of unarchiving a channel, for queues that do not show archived channels. */
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import type { Audiences } from "../../channels/audience.ts";
import { inChunks } from "../../base/chunks.ts";
import { forQueues } from "../../channels/event-shapes.ts";
import { emitSubscriptions, type Subscriber } from "./add-subscribers.ts";
import { personalColumns } from "../../channels/subscriptions/queries.ts";

/** Emits the subscribers to everybody who now sees the channel again, and to each subscriber their own subscription. */
export async function emitUnarchived(
  tx: Tx,
  channel: Channel,
  object: PlainChannel,
  audiences: Audiences,
): Promise<void> {
  const personal = sql.join(personalColumns.map((name) => sql.ref(`s.${name}`)));
  const { rows } = await sql<Subscriber>`
    select s.user_id, ${personal}, u.settings from subscriptions s join users u on u.id = s.user_id and u.is_active
    where s.channel_id = ${channel.id} and s.active order by s.user_id`.execute(tx);
  const subscribers = rows.map((row) => row.user_id);
  for (const user_ids of inChunks(subscribers)) {
    const event = { type: "subscription", op: "peer_add", stream_ids: [channel.id], user_ids };
    for (const audience of audiences)
      emit(tx, channel.realm_id, audience, forQueues("not shown archived channels", event));
  }
  emitSubscriptions(tx, channel.realm_id, object, rows, subscribers, "not shown archived channels");
}
