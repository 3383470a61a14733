/**
 * THE rule for access to a message, as SQL that every statement about messages uses. A channel's message is readable
 * with access to the channel's content, and where history is protected only to those who were sent it; a direct
 * message is readable to those who take part.
 *
 * The fragments speak of a message `m`, and of what decides about a reader and that message, joined by `readerJoins`:
 * the channel `c`, the reader's subscription `s` to it and `origin` to the channel the message was sent to (the same
 * unless it was moved), and the participation `p`, each null where there is none.
 */
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import { contentAccessSql, type ReaderSql } from "../channels/access.ts";

export const readerJoins = ({ id }: ReaderSql): string => `
  left join channels c on c.id = m.conversation_id
  left join subscriptions s on s.user_id = ${id} and s.channel_id = m.conversation_id
  left join subscriptions origin
    on origin.user_id = ${id} and origin.channel_id = coalesce(m.origin_id, m.conversation_id)
  left join participations p on p.user_id = ${id} and p.conversation_id = m.conversation_id`;

export const isReadable = (reader: ReaderSql): string => `(
  p.user_id is not null
  or (c.id is not null and ${contentAccessSql({ channel: "c", subscription: "s", reader })}
    and (c.history_public_to_subscribers or coalesce(coalesce(m.entered_at, m.id) <@ s.received, false))))`;

/** Readable, and in a place where something can still happen: nothing does in an archived channel. */
export const isChangeable = (reader: ReaderSql): string =>
  `(${isReadable(reader)} and not coalesce(c.is_archived, false))`;

/** One answer for messages that do not exist and messages one may not see: nobody learns which it is. */
export const invalidMessages = (): ApiError => new ApiError("Invalid message(s)");

/**
 * A statement that acts for a remembered account begins with these five parameters, and finds out by `isCurrent`
 * whether account and organization are still what they were when they were remembered. The rank is compared as well: a
 * member becomes a full member by the passing of time alone.
 */
export const asker = { id: "$1::bigint", rank: "$2::integer", realm: "$3::bigint" };
export const askerValues = (user: User): unknown[] => [
  user.id,
  user.rank,
  user.realm_id,
  user.version,
  user.realm.version,
];
export const isCurrent = `exists (
  select from users u join realms r on r.id = u.realm_id
  where u.id = ${asker.id} and u.version = $4::bigint and r.id = ${asker.realm} and r.version = $5::bigint
    and rank_of(u.role, u.date_joined, r.waiting_period_threshold) = ${asker.rank})`;
