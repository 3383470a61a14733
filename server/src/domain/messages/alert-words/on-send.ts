import { sql } from "kysely";
import type { Consequence } from "../send/consequence.ts";

/** Flags the message for users it is sent to, if it contains one of their alert words. */
export const alertFlags: Consequence = {
  isDue: ({ rendered }) => rendered.userIdsWithAlertWords.length > 0,
  async apply(tx, _ctx, { id, sender, rendered, place }) {
    const alerted = rendered.userIdsWithAlertWords;
    if (alerted.length === 0) return;
    const receivers =
      "channel" in place
        ? sql`select user_id from subscriptions where active and channel_id = ${place.channel.id}`
        : sql`select user_id from participations where conversation_id = ${place.conversationId}`;
    await sql`
      insert into message_flags (user_id, message_id, realm_id, has_alert_word)
      select user_id, ${id}, ${sender.realm_id}, true from (${receivers}) as receiver
      where user_id = any(${alerted}::bigint[])
      on conflict (user_id, message_id) do update set has_alert_word = true`.execute(tx);
  },
};
