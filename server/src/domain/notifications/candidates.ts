/**
 * The users who may have to be notified of messages, as SQL: recipients of direct messages, mentioned users, and users who
 * enabled notifications for a whole channel or topic. Each source uses an index, so that the many subscribers of a channel
 * without notifications are never read.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { sql, type RawBuilder } from "kysely";
import type { Revisit } from "../messages/edits/notification-revisits.ts";

/** Must match the index on users who enabled notifications for all channels. */
const asksForAllChannels = ["email", "push", "desktop"]
  .map((method) => `u.settings @> '{"enable_stream_${method}_notifications": true}'`)
  .join(" or ");

export interface FollowedMessage {
  id: number;
  realm_id: number;
  conversation_id: number;
}

/** Selects distinct pairs `(message_id, user_id)`, which may include the sender and users who have read the message. */
export function candidatesFor(
  messages: readonly FollowedMessage[],
  revisits: readonly Revisit[] = [],
): RawBuilder<unknown> {
  const ids = sql`${messages.map(({ id }) => id)}::bigint[]`;
  const places = sql`${[...new Set(messages.map(({ conversation_id }) => conversation_id))]}::bigint[]`;
  const realms = sql`${[...new Set(messages.map(({ realm_id }) => realm_id))]}::bigint[]`;
  return sql`
    select m.id as message_id, p.user_id
    from messages m join participations p on p.conversation_id = m.conversation_id
    where m.id = any(${ids}) and m.topic_id is null
    union
    select f.message_id, f.user_id from message_flags f
    where f.message_id = any(${ids}) and (f.mentioned or f.topic_wildcard_mentioned or f.has_alert_word)
    union
    select m.id, s.user_id from messages m join subscriptions s on s.channel_id = m.conversation_id and s.active
    where m.id = any(${ids}) and m.mentions_channel and m.topic_id is not null
    union
    select m.id, t.user_id from messages m join user_topics t on t.topic_id = m.topic_id
    where m.id = any(${ids}) and t.visibility_policy = ${sql.lit(visibilityPolicies.followed)}
    union
    select m.id, asking.user_id from messages m join (
      select s.channel_id, s.user_id from subscriptions s
      where s.channel_id = any(${places}) and s.active
        and (s.email_notifications or s.push_notifications or s.desktop_notifications)
      union
      select s.channel_id, s.user_id from users u join subscriptions s on s.user_id = u.id
      where u.realm_id = any(${realms}) and u.is_active and (${sql.raw(asksForAllChannels)})
        and s.channel_id = any(${places}) and s.active
    ) as asking on asking.channel_id = m.conversation_id
    where m.id = any(${ids})
    union
    select * from unnest(${revisits.map((one) => one.message_id)}::bigint[], ${revisits.map((one) => one.user_id)}::bigint[])`;
}
