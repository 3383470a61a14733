/**
 * THE rule for access to a message, as SQL that every statement about messages uses. A channel message is readable with
 * access to the channel's content; where history is protected, only by users it was sent to. A direct message is
 * readable by the participants of its conversation.
 *
 * The fragments expect a message `m` and the rows that decide about a reader and that message, joined by `readerJoins`:
 * the channel `c`, the reader's subscription `s` to it and `origin` to the channel the message was sent to (the same
 * unless it was moved), and the participation `p`; each is null where there is none.
 */
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../identity/account.ts";
import { contentAccessSql, type Channel, type ReaderSql } from "../channels/access.ts";

export const readerJoins = ({ id }: ReaderSql): string => `
  left join channels c on c.id = m.conversation_id
  left join subscriptions s on s.user_id = ${id} and s.channel_id = m.conversation_id
  left join subscriptions origin
    on origin.user_id = ${id} and origin.channel_id = coalesce(m.origin_id, m.conversation_id)
  left join participations p on p.user_id = ${id} and p.conversation_id = m.conversation_id`;

/** A message's position in its channel's history: its id, or for a moved message the time it arrived. */
const historyPosition = "coalesce(m.entered_at, m.id)";

/**
 * Whether the history of channel `c` shows the message to the holder of subscription `s`: shared history shows
 * everything, protected history only what the reader was sent.
 */
export const isInVisibleHistory = `(
  c.history_public_to_subscribers or coalesce(${historyPosition} <@ s.received, false))`;

/** The same for a given channel and reader. */
export const isInHistoryOf = (channel: Pick<Channel, "id" | "history_public_to_subscribers">, reader: User) =>
  channel.history_public_to_subscribers
    ? sql`true`
    : sql`${sql.raw(historyPosition)} <@ (
        select received from subscriptions where user_id = ${reader.id} and channel_id = ${channel.id})`;

export const isReadable = (reader: ReaderSql): string => `(
  p.user_id is not null
  or (c.id is not null and ${contentAccessSql({ channel: "c", subscription: "s", reader })}
    and ${isInVisibleHistory}))`;

/** Readable, and not in an archived channel, where nothing can be changed. */
export const isChangeable = (reader: ReaderSql): string =>
  `(${isReadable(reader)} and not coalesce(c.is_archived, false))`;

/**
 * The same error for messages that do not exist and messages the caller may not see: the response must not reveal which
 * it is.
 */
export const invalidMessages = (): ApiError => new ApiError("Invalid message(s)");

/**
 * A statement that acts for a cached account starts with these five parameters, and checks with `isCurrent` that
 * account and organization have not changed since they were cached. The rank is compared as well: a member becomes a
 * full member merely by the passing of time.
 */
export const caller = { id: "$1::bigint", rank: "$2::integer", realm: "$3::bigint" };
export const callerValues = (user: User): unknown[] => [
  user.id,
  user.rank,
  user.realm_id,
  user.version,
  user.realm.version,
];
export const isCurrent = `exists (
  select from users u join realms r on r.id = u.realm_id
  where u.id = ${caller.id} and u.version = $4::bigint and r.id = ${caller.realm} and r.version = $5::bigint
    and rank_of(u.role, u.date_joined, r.waiting_period_threshold) = ${caller.rank})`;
