/**
 * Changing flags: one statement that checks access, changes the flags and emits the events, for any number of messages.
 *
 * Ranges are changed by adding to and removing from what the row holds, so that concurrent changes on several nodes all
 * count. Which messages a call changed is decided on rows locked by the same statement: of several identical calls at
 * once, only one makes the change. Subscriptions are locked in the order of channels and before their messages, so that
 * two calls cannot deadlock.
 *
 * Parameters: the caller's five, then $6, the message ids without duplicates.
 */
import { prefix } from "../../../events/log-format.ts";
import { caller, isCurrent, isReadable, readerJoins } from "../access.ts";
import { flagsJoin } from "./rules.ts";

export interface Statement {
  name: string;
  text: string;
}

export interface FlagChangeRow {
  /** Whether the account is unchanged since it was cached; if not, nothing has changed. */
  is_current: boolean;
  /** Whether all messages exist and are readable; if not, nothing has changed. */
  is_valid: boolean;
  changed: number[];
  /** Channels whose messages were not changed because the caller is not subscribed. */
  not_subscribed: number[];
}

/** Keeps log entries at a moderate size. */
const maxMessagesPerEvent = 1000;

/**
 * Emits the rows of `emitted (id, details)` to the caller; details are null where the event has none. The main query
 * must use this, since PostgreSQL does not run parts of a statement that nothing refers to.
 */
export const emitToCaller = (op: "add" | "remove", flag: string): string => `
  (select count(pg_logical_emit_message(true, '${prefix}', '1' || chr(10) || json_build_object(
    'x', pg_current_xact_id()::text::bigint,
    'r', ${caller.realm},
    'e', json_build_array(json_build_array(
      json_build_object('users', json_build_array(${caller.id})),
      json_strip_nulls(json_build_object('type', 'update_message_flags', 'op', '${op}', 'operation', '${op}',
        'flag', '${flag}', 'messages', part.messages, 'all', false, 'message_details', part.details))))
    )::text))
  from (
    select json_agg(id order by id) as messages, json_object_agg(id, details) filter (where details is not null) as details
    from (select id, details, (row_number() over (order by id) - 1) / ${maxMessagesPerEvent} as n from emitted) as numbered
    group by n order by n) as part)`;

/**
 * The caller's rows of the conversations in `wanted`, locked and current; `is_as_seen` is whether they are still what
 * the rest of the statement sees. A participant has received all of a direct conversation.
 */
export const lockedPlaces = `
  locked_channels as materialized (
    select s.channel_id as conversation_id, s.active, s.received, s.read, s.ctid as version from subscriptions s
    where s.user_id = ${caller.id} and s.channel_id in (select conversation_id from wanted)
    order by s.channel_id for no key update),
  locked_directs as materialized (
    select p.conversation_id, true as active, '{[0,)}'::int8multirange as received, p.read, p.ctid as version
    from participations p
    where p.user_id = ${caller.id} and p.conversation_id in (select conversation_id from wanted)
    order by p.conversation_id for no key update),
  places as materialized (
    select l.*, l.version = seen.ctid as is_as_seen from locked_channels l
      left join subscriptions seen on seen.user_id = ${caller.id} and seen.channel_id = l.conversation_id
    union all
    select l.*, l.version = seen.ctid from locked_directs l
      left join participations seen on seen.user_id = ${caller.id} and seen.conversation_id = l.conversation_id)`;

/**
 * Whether the caller is subscribed to the channel where a message of `wanted (conversation_id, channel_id, entered_at)`
 * is now, and already was when it was moved there; `l` is the place it was sent to. See the rule for what counts as
 * read.
 */
export const isInside = `case when w.entered_at is null then l.active else exists (
      select from subscriptions here where here.user_id = ${caller.id} and here.channel_id = w.channel_id
        and here.active and w.entered_at <@ here.received) end`;

export const changedIds = "(select coalesce(array_agg(id), '{}') from emitted)";

/** The messages in $6 that the caller may read, with the rows that decide about them joined. */
export const readable = (...columns: string[]): string => `readable as materialized (
    select ${["m.id", ...columns].join(", ")} from messages m ${readerJoins(caller)} ${flagsJoin(caller)}
    where m.id = any($6::bigint[]) and m.realm_id = ${caller.realm} and ${isReadable(caller)})`;

/**
 * Whether the call may change anything: the account must be unchanged since it was cached, and every message readable.
 */
export const checked = `checked as materialized (
    select ${isCurrent} as is_current, (select count(*) from readable) = cardinality($6::bigint[]) as is_valid)`;
