/**
 * The statements that send. For a whole group of messages they check access, store the messages and emit the events, in
 * one round trip and one transaction. A message that needs more than that (a topic or first message to be created, an
 * error to be explained, an account that has changed) is simply missing from the result; `send.ts` handles it.
 *
 * The locks that exclude subscription changes and mutes are taken before ids are assigned, so that a message's id
 * determines who receives it, and for whom it is already read.
 */
import { botTypes } from "@skein/api/bots.ts";
import { prefix } from "../../../events/log-format.ts";
import { bigintArray, booleanArray, integerArray, textArray } from "../../../platform/db/binary-array.ts";
import { isOwnerSubscribed, mayOwnerSend } from "../../people/bots/owner-rights.ts";
import { alertWordVersionSql } from "../alert-words/cached-words.ts";
import { contentAccessSql, holdsPermissionSql } from "../../channels/access.ts";
import { sharedChannelLock } from "../../channels/lock.ts";
import { sharedSenderLock } from "../muted-users/lock.ts";
import type { DirectConversation } from "./recipients.ts";
import { apiEmailSql } from "../../people/users/email.ts";

/** A message ready to be sent. The JSON strings are parts of its event. */
export interface Outgoing {
  senderId: number;
  senderVersion: number;
  senderRank: number;
  clientId: number;
  content: string;
  renderedContent: string;
  isMeMessage: boolean;
  /** See traits.ts. */
  traits: number;
  readBySender: boolean;
  /** Fields of the event's `source` that the database does not need to change. */
  sourceJson: string;
  /** Fields of the event besides `source`, each preceded by a comma. */
  eventJson: string;
}

export interface OutgoingToChannel extends Outgoing {
  channelId: number | undefined;
  channelName: string | undefined;
  topic: string;
}

export interface OutgoingDirect extends Outgoing {
  conversation: DirectConversation;
}

export interface SentRow {
  /** The message's position in its group, from 1. */
  n: number;
  id: number;
}

/** Stored above the bits of the traits, in the same number. */
const meMessageBit = 8;
/** The same, in an organization whose channels want topics unless they say otherwise. */
const needsTopicBit = 16;

const columns = `
    with given as (
      select * from unnest(
        $3::bigint[], $4::bigint[], $5::integer[], $6::integer[], $7::text[], $8::text[], $9::integer[], $10::boolean[],
        $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[]
      ) with ordinality as g (
        sender_id, sender_version, sender_rank, client_id, content, rendered_content, marks, read_by_sender,
        source_json, event_json, target_id, target_name, topic, n)
    ),
    -- Sender and organization must be unchanged since the request was authenticated. $18: the version of the alert
    -- words the messages were searched for, or null if it has been verified already.
    input as (
      select g.*, u.bot_owner_id, u.is_bot from given g
        join users u on u.id = g.sender_id and u.version = g.sender_version and u.is_active
      where (select version from realms where id = $1) = $2
        and ($18::bigint is null or $18::bigint = ${alertWordVersionSql("$1")})
    )`;

const lockedSenders = `locked_senders as materialized (
      select ${sharedSenderLock("id")} from (select distinct sender_id as id from target order by 1) sender
    )`;

/** Stores the rows of `numbered` and emits their events. `fields`: SQL for additional fields of the event. */
const storeAndEmit = (conversation: string, audience: string, source: string, fields = "") => `
    stored as (
      insert into messages (id, realm_id, conversation_id, topic_id, topic_spelling, sender_id, client_id, content,
        rendered_content, is_me_message, traits, read_by_sender)
      select id, $1, ${conversation}, topic_id, topic_spelling, sender_id, client_id, content, rendered_content,
        marks & ${meMessageBit} <> 0, marks & ${meMessageBit - 1}, read_by_sender
      from numbered
    ),
    emitted as materialized (
      select pg_logical_emit_message(true, '${prefix}', count(*) || chr(10) || '{"x":' || pg_current_xact_id()::text
        || ',"r":' || $1::bigint || ',"e":[' || string_agg('[' || ${audience} || ',{"type":"message"' || event_json${fields}
        || ',"source":{"id":' || id || ',"timestamp":' || floor(extract(epoch from now()))::bigint || ',' || ${source}
        || ',' || source_json || '}}]', ',' order by id) || ']}') as position
      from numbered having count(*) > 0
    )
    select n::integer as n, id from numbered where (select count(*) from emitted) > 0`;

const reader = { id: "i.sender_id", rank: "i.sender_rank" };
const at = { channel: "c", subscription: "s", reader };

const bot = { id: "bot.id", rank: "rank_of(bot.role, bot.date_joined, r.waiting_period_threshold)" };

/**
 * Of the users in $19, the bots with their own queues that may read the message without being in the channel, as JSON.
 */
const calledBots = `(select json_agg(bot.id order by bot.id)::text
          from users bot join realms r on r.id = bot.realm_id
            left join subscriptions own on own.user_id = bot.id and own.channel_id = c.id
          where bot.id = any($19::bigint[]) and bot.realm_id = $1 and bot.bot_type = ${botTypes.generic} and bot.is_active
            and not coalesce(own.active, false) and c.history_public_to_subscribers
            and ${contentAccessSql({ channel: "c", subscription: "own", reader: bot })})`;

/**
 * The additional parts of the statement when bots are called. The bots that receive the event are those that get the
 * flag.
 */
const callingBots = {
  column: `, ${calledBots} as called`,
  flags: `called_flags as (
      insert into message_flags (user_id, message_id, realm_id, mentioned)
      select bot.id::bigint, numbered.id, $1, true from numbered, json_array_elements_text(called::json) as bot (id)
    ),`,
  audience: ` || coalesce(',"users":' || called, '')`,
  fields: ` || coalesce(',"called":' || called, '')`,
};
const withoutBots: typeof callingBots = { column: "", flags: "", audience: "", fields: "" };

/** How much of what a message causes is handled by a transaction around the statement. */
export const transactionScope = {
  none: 0,
  /** The message's consequences, a sender who muted the channel, and guests there who cannot see the sender. */
  transaction: 1,
  /** Also changes of the channel itself: the first message, or the first after a long silence. */
  channelChange: 2,
} as const;
export type TransactionScope = (typeof transactionScope)[keyof typeof transactionScope];

/** See channels/topics/policy.ts. */
const allowsTopic = `case i.topic when '' then c.topics_policy <> 'disable_empty_topic'
            and (c.topics_policy <> 'inherit' or i.marks & ${needsTopicBit} = 0)
            else c.topics_policy <> 'empty_topic_only' end`;

/** $16: a `transactionScope`. $17: whether the sender may send anywhere, as the server's own bots may. */
const toChannels = (calling: typeof callingBots) => `${columns},
    target as materialized (
      select i.*, c.id as channel_id, c.name as channel_name, not c.invite_only as is_public, t.id as topic_id,
        t.name as topic_name,
        -- See channels/topics/spelling.ts.
        case when not c.history_public_to_subscribers then nullif(i.topic, t.name) end as topic_spelling${calling.column}
      from input i
        -- "offset 0" forces the planner to look up each message by key: a cached plan must not depend on how many topics
        -- or subscriptions there were when it was made.
        cross join lateral (select * from channels where realm_id = $1 and id = coalesce(i.target_id,
          (select named.id from channels named where named.realm_id = $1 and lower(named.name) = lower(i.target_name)))
          offset 0) c
        cross join lateral (select max_rank from user_groups where id = c.can_send_message_group_id offset 0) senders
        cross join lateral (
          select id, name from topics where channel_id = c.id and lower(name) = lower(i.topic) offset 0) t
        left join lateral (
          select active, is_muted from subscriptions where user_id = i.sender_id and channel_id = c.id offset 0) s on true
      where ((c.is_recently_active and c.first_message_id is not null) or $16::integer = ${transactionScope.channelChange})
        and ($16::integer > ${transactionScope.none} or not coalesce(s.is_muted, false))
        -- To a sender who can read none of its messages, the topic is new, and may be followed by starting it.
        and ($16::integer > ${transactionScope.none} or c.history_public_to_subscribers or i.is_bot
          or has_received_from(i.sender_id, c.id, t.id))
        -- A sender outside the channel may be hidden from its guests; such messages are sent alone.
        and ($16::integer > ${transactionScope.none} or s.active or i.is_bot or not restricts_guests($1))
        and ($17::boolean or (not c.is_archived
          -- The usual case, a group by rank, needs no function call.
          and ${allowsTopic}
          and (c.can_create_topic_group_id is null or may_write_to_topic(
            i.sender_id, i.sender_rank, i.bot_owner_id, c.can_create_topic_group_id, t.id))
          and (i.sender_rank <= senders.max_rank or ${holdsPermissionSql("can_send_message_group", at)}
            or ${mayOwnerSend("i.bot_owner_id", "c")})
          and ((${contentAccessSql(at)} and (s.active or c.history_public_to_subscribers))
            or ${isOwnerSubscribed("i.bot_owner_id", "c")})))
    ),
    locked as materialized (
      select ${sharedChannelLock("id")} from (select distinct channel_id as id from target order by 1) channel
    ),
    ${lockedSenders},
    -- A topic may have been renamed while this waited for the lock.
    named as materialized (
      select are_topics_named(array_agg(topic_id), array_agg(topic_name)) as are_as_seen
      from target, (select count(*) as count from locked) held where held.count > 0
    ),
    numbered as materialized (
      select target.*, nextval('messages_id_seq') as id from target
      where (select are_as_seen from named) and (select count(*) from locked_senders) > 0
    ),
    ${calling.flags}
    ${storeAndEmit(
      "channel_id",
      `'{"channel":{"id":' || channel_id || ',"at":' || id || '}'${calling.audience} ||
          case when is_public then ',"publicChannel":true}' else '}' end`,
      `'"conversation":{"id":' || channel_id || ',"channel":{"name":' || to_json(channel_name)::text
          || '}},"topic":' || to_json(coalesce(topic_spelling, topic_name))::text`,
      calling.fields,
    )}`;

export const sendToChannels = { name: "send-to-channels", text: toChannels(withoutBots) };

/** The same for messages that mention people by name; $19: their ids. */
export const sendToChannelsCallingBots = { name: "send-to-channels-calling-bots", text: toChannels(callingBots) };

/**
 * $16: the domain of placeholder addresses; $17: whether the sender's permission has been checked already. A conversation
 * with a deactivated user is closed, unless it is with oneself. A message to an outgoing-webhook bot also needs a job,
 * so it takes a transaction of its own.
 */
export const sendDirect = {
  name: "send-direct",
  text: `${columns},
    target as materialized (
      select i.*, i.target_id as conversation_id, null::bigint as topic_id, null::text as topic_spelling,
        people.ids, people.shown
      from input i
        join conversations c on c.id = i.target_id and c.direct_key = i.target_name
        join participations own on own.conversation_id = c.id and own.user_id = i.sender_id
        join realms r on r.id = $1
        join user_groups permitted on permitted.id = r.direct_message_permission_group_id
        join user_groups initiators on initiators.id = r.direct_message_initiator_group_id
        cross join lateral (
          select json_agg(u.id order by u.id) as ids, bool_and(u.is_active) as are_active,
            coalesce(bool_or(u.bot_type = ${botTypes.outgoingWebhook}), false) as has_webhook,
            json_agg(json_build_object('id', u.id, 'full_name', u.full_name, 'email',
              ${apiEmailSql("u", "$16::text")}) order by u.id) as shown
          from participations p join users u on u.id = p.user_id where p.conversation_id = i.target_id
        ) people
      where people.are_active
        and ($17::boolean or (permitted.max_rank >= 600 and initiators.max_rank >= 600 and not people.has_webhook))
    ),
    ${lockedSenders},
    numbered as materialized (
      select target.*, nextval('messages_id_seq') as id from target where (select count(*) from locked_senders) > 0
    ),
    ${storeAndEmit(
      "conversation_id",
      `'{"users":' || ids::text || '}'`,
      `'"conversation":{"id":' || conversation_id || ',"parties":' || shown::text || '},"topic":""'`,
    )}`,
};

/** The array parameters both statements start with. */
export function groupValues(
  realm: { id: number; version: number; mandatory_topics: boolean },
  group: (Outgoing & { targetId: number | undefined; targetName: string | undefined; topic: string })[],
): unknown[] {
  const realmBits = realm.mandatory_topics ? needsTopicBit : 0;
  return [
    realm.id,
    realm.version,
    bigintArray(group.map((item) => item.senderId)),
    bigintArray(group.map((item) => item.senderVersion)),
    integerArray(group.map((item) => item.senderRank)),
    integerArray(group.map((item) => item.clientId)),
    textArray(group.map((item) => item.content)),
    textArray(group.map((item) => item.renderedContent)),
    integerArray(group.map((item) => item.traits | (item.isMeMessage ? meMessageBit : 0) | realmBits)),
    booleanArray(group.map((item) => item.readBySender)),
    textArray(group.map((item) => item.sourceJson)),
    textArray(group.map((item) => item.eventJson)),
    bigintArray(group.map((item) => item.targetId ?? null)),
    textArray(group.map((item) => item.targetName ?? null)),
    textArray(group.map((item) => item.topic)),
  ];
}
