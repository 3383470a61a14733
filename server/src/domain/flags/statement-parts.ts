/**
 * Changing flags: one statement each that judges, changes and tells of it, whatever the number of messages.
 *
 * Ranges are changed by adding to and taking from what the row holds, so that changes made at the same time on several
 * nodes all count. Which messages a call has changed is decided on rows locked by the same statement: of several calls
 * that do the same at once, one changes it. Subscriptions are locked in the order of channels and come before a
 * message of theirs, so that two calls cannot wait for each other.
 *
 * Parameters: the asker's five, then $6, the message ids without repetition.
 */
import { prefix } from "../../events/log-format.ts";
import { asker, isCurrent, isReadable, readerJoins } from "../messages/access.ts";
import { flagsJoin } from "./rules.ts";

export interface Statement {
  name: string;
  text: string;
}

export interface FlagChangeRow {
  /** Whether the account is what it was remembered to be; nothing has changed otherwise. */
  is_current: boolean;
  /** Whether all messages are there and readable; nothing has changed otherwise. */
  is_valid: boolean;
  changed: number[];
  /** Channels whose messages were left alone because the asker is not subscribed. */
  not_subscribed: number[];
}

/** A log entry has to stay of moderate size. */
const maxMessagesPerEvent = 1000;

/**
 * Tells the asker of the rows of `told (id, details)`; details are null where the event has none. The main query must
 * use this, for PostgreSQL runs no part of a statement that nothing asks for.
 */
export const tellAsker = (op: "add" | "remove", flag: string): string => `
  (select count(pg_logical_emit_message(true, '${prefix}', '1' || chr(10) || json_build_object(
    'x', pg_current_xact_id()::text::bigint,
    'r', ${asker.realm},
    'e', json_build_array(json_build_array(
      json_build_object('users', json_build_array(${asker.id})),
      json_strip_nulls(json_build_object('type', 'update_message_flags', 'op', '${op}', 'operation', '${op}',
        'flag', '${flag}', 'messages', part.messages, 'all', false, 'message_details', part.details))))
    )::text))
  from (
    select json_agg(id order by id) as messages, json_object_agg(id, details) filter (where details is not null) as details
    from (select id, details, (row_number() over (order by id) - 1) / ${maxMessagesPerEvent} as n from told) as numbered
    group by n order by n) as part)`;

/**
 * The asker's rows of the conversations in `wanted`, locked, as of now; `is_as_seen` says whether that is still what
 * the statement sees elsewhere. One takes part in all of a direct conversation.
 */
export const lockedPlaces = `
  locked_channels as materialized (
    select s.channel_id as conversation_id, s.active, s.received, s.read, s.ctid as version from subscriptions s
    where s.user_id = ${asker.id} and s.channel_id in (select conversation_id from wanted)
    order by s.channel_id for no key update),
  locked_directs as materialized (
    select p.conversation_id, true as active, '{[0,)}'::int8multirange as received, p.read, p.ctid as version
    from participations p
    where p.user_id = ${asker.id} and p.conversation_id in (select conversation_id from wanted)
    order by p.conversation_id for no key update),
  places as materialized (
    select l.*, l.version = seen.ctid as is_as_seen from locked_channels l
      left join subscriptions seen on seen.user_id = ${asker.id} and seen.channel_id = l.conversation_id
    union all
    select l.*, l.version = seen.ctid from locked_directs l
      left join participations seen on seen.user_id = ${asker.id} and seen.conversation_id = l.conversation_id)`;

/**
 * Whether the asker is in the channel where a message of `wanted (conversation_id, channel_id, entered_at)` stands, and
 * was when it came there; `l` is the place it was sent to. See the rule for what is read.
 */
export const isInside = `case when w.entered_at is null then l.active else exists (
      select from subscriptions here where here.user_id = ${asker.id} and here.channel_id = w.channel_id
        and here.active and w.entered_at <@ here.received) end`;

export const changedIds = "(select coalesce(array_agg(id), '{}') from told)";

/** The messages in $6 that the asker may read, with what decides about them joined. */
export const readable = (...columns: string[]): string => `readable as materialized (
    select ${["m.id", ...columns].join(", ")} from messages m ${readerJoins(asker)} ${flagsJoin(asker)}
    where m.id = any($6::bigint[]) and m.realm_id = ${asker.realm} and ${isReadable(asker)})`;

/** Whether the call may change anything at all: for an account as remembered, and when every message is readable. */
export const judged = `judged as materialized (
    select ${isCurrent} as is_current, (select count(*) from readable) = cardinality($6::bigint[]) as is_valid)`;
