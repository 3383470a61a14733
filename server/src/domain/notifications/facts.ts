/**
 * The facts that notifications depend on, as SQL: a statement that has `pairs (message_id, user_id)` joins `factJoins` and
 * selects `factColumns`. Whether a message is readable and read follows the usual access rules.
 */
import { presenceOfflineThresholdSeconds } from "@skein/api/presence.ts";
import { flagsJoin, isRead } from "../messages/flags/rules.ts";
import { isReadable, readerJoins } from "../messages/access.ts";
import { systemBotNames } from "../messages/send/notice.ts";

const reader = { id: "u.id", rank: "rank_of(u.role, u.date_joined, r.waiting_period_threshold)" };

/** Message and reader belong to the same active organization; the rule decides the rest. */
export const factJoins = `
  join messages m on m.id = pairs.message_id
  join users u on u.id = pairs.user_id and u.realm_id = m.realm_id
  join realms r on r.id = m.realm_id and not r.deactivated
  join users sender on sender.id = m.sender_id
  ${readerJoins(reader)} ${flagsJoin(reader)}
  left join user_topics visibility on visibility.user_id = u.id and visibility.topic_id = m.topic_id
  left join presences presence on presence.user_id = u.id`;

/** Whether the reader of `presence` was active a moment ago; users who hide their presence count as away. */
export const isPresent = `coalesce(
    presence.last_active_at > now() - interval '${presenceOfflineThresholdSeconds} seconds', false)`;

/** The fields of `Facts`. */
export const factColumns = `
  m.sender_id = u.id as is_sender, u.is_bot, u.is_active,
  sender.is_system_bot and sender.full_name = '${systemBotNames["welcome-bot"]}' as is_greeting,
  ${isReadable(reader)} as is_readable, ${isRead(reader)} as is_read, c.id is null as is_direct,
  coalesce(f.mentioned, false) as mentioned, coalesce(f.topic_wildcard_mentioned, false) as topic_wildcard_mentioned,
  c.id is not null and m.mentions_channel as stream_wildcard_mentioned,
  coalesce(f.has_alert_word, false) as has_alert_word,
  s.is_muted, s.email_notifications, s.push_notifications, s.desktop_notifications, s.wildcard_mentions_notify,
  visibility.visibility_policy, u.settings, ${isPresent} as is_present,
  r.message_content_allowed_in_email_notifications`;
