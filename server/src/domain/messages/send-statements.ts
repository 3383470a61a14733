/**
 * The statements that send: for a whole group of messages they judge, store and tell, in one round trip and one
 * transaction. A message whose sending needs more than that (a topic or a first message to be made, an error to be
 * explained, an account that has changed) simply does not come back; `send.ts` sees to it.
 *
 * The locks that exclude subscription changes and mutes are taken before ids are given out, so that a message's id tells
 * who receives it, and for whom it is read.
 */
import { botTypes } from "@skein/api/bots.ts";
import { prefix } from "../../events/log-format.ts";
import { bigintArray, booleanArray, integerArray, textArray } from "../../platform/db/binary-array.ts";
import { isOwnerSubscribed, mayOwnerSend } from "../bots/owner-rights.ts";
import { alertWordVersionSql } from "../alert-words/remembered-words.ts";
import { contentAccessSql, holdsPermissionSql } from "../channels/access.ts";
import { sharedChannelLock } from "../channels/lock.ts";
import { sharedSenderLock } from "../muted-users/lock.ts";
import { apiEmailSql } from "../users/email.ts";

/** A message ready to be sent. The JSON texts are parts of its event. */
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
  /** Fields of the event's `source` the database need not add to. */
  sourceJson: string;
  /** Fields of the event beside `source`, each after a comma. */
  eventJson: string;
}

export interface OutgoingToChannel extends Outgoing {
  channelId: number | undefined;
  channelName: string | undefined;
  topic: string;
}

export interface OutgoingDirect extends Outgoing {
  conversationId: number;
}

export interface SentRow {
  /** Which of the group it is, from 1. */
  n: number;
  id: number;
}

/** Above the traits, with which it travels in one number. */
const meMark = 8;

const columns = `
    with given as (
      select * from unnest(
        $3::bigint[], $4::bigint[], $5::integer[], $6::integer[], $7::text[], $8::text[], $9::integer[], $10::boolean[],
        $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[]
      ) with ordinality as g (
        sender_id, sender_version, sender_rank, client_id, content, rendered_content, marks, read_by_sender,
        source_json, event_json, target_id, target_name, topic, n)
    ),
    -- Who sends is who they were when they were authenticated, and so is their organization; $18: the version of the
    -- alert words the messages were searched for, where that is not settled yet.
    input as (
      select g.*, u.bot_owner_id from given g
        join users u on u.id = g.sender_id and u.version = g.sender_version and u.is_active
      where (select version from realms where id = $1) = $2
        and ($18::bigint is null or $18::bigint = ${alertWordVersionSql("$1")})
    )`;

const lockedSenders = `locked_senders as materialized (
      select ${sharedSenderLock("id")} from (select distinct sender_id as id from target order by 1) sender
    )`;

/** From the rows of `numbered`: stores them and tells of them. `fields`: SQL for more of the event's. */
const storeAndTell = (conversation: string, audience: string, source: string, fields = "") => `
    stored as (
      insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content,
        is_me_message, traits, read_by_sender)
      select id, $1, ${conversation}, topic_id, sender_id, client_id, content, rendered_content,
        marks & ${meMark} <> 0, marks & ${meMark - 1}, read_by_sender
      from numbered
    ),
    told as materialized (
      select pg_logical_emit_message(true, '${prefix}', count(*) || chr(10) || '{"x":' || pg_current_xact_id()::text
        || ',"r":' || $1::bigint || ',"e":[' || string_agg('[' || ${audience} || ',{"type":"message"' || event_json${fields}
        || ',"source":{"id":' || id || ',"timestamp":' || floor(extract(epoch from now()))::bigint || ',' || ${source}
        || ',' || source_json || '}}]', ',' order by id) || ']}') as position
      from numbered having count(*) > 0
    )
    select n::integer as n, id from numbered where (select count(*) from told) > 0`;

const reader = { id: "i.sender_id", rank: "i.sender_rank" };
const at = { channel: "c", subscription: "s", reader };

const bot = { id: "bot.id", rank: "rank_of(bot.role, bot.date_joined, r.waiting_period_threshold)" };

/** Of those in $19, the bots with queues of their own that may read the message without being in the channel, as JSON. */
const calledBots = `(select json_agg(bot.id order by bot.id)::text
          from users bot join realms r on r.id = bot.realm_id
            left join subscriptions own on own.user_id = bot.id and own.channel_id = c.id
          where bot.id = any($19::bigint[]) and bot.realm_id = $1 and bot.bot_type = ${botTypes.generic} and bot.is_active
            and not coalesce(own.active, false) and c.history_public_to_subscribers
            and ${contentAccessSql({ channel: "c", subscription: "own", reader: bot })})`;

/** What the statement has more where bots are called. Those who are told are those who have the flag. */
const callingBots = {
  column: `, ${calledBots} as called`,
  flags: `called_flags as (
      insert into message_flags (user_id, message_id, realm_id, mentioned)
      select bot.id::bigint, numbered.id, $1, true from numbered, json_array_elements_text(called::json) as bot (id)
    ),`,
  audience: ` || coalesce(',"users":' || called, '')`,
  fields: ` || coalesce(',"called":' || called, '')`,
};
const callingNobody: typeof callingBots = { column: "", flags: "", audience: "", fields: "" };

/**
 * $16: whether a transaction around it sees to what else a message brings: that it is the channel's first, or wakes it
 * up, or concerns a channel its sender has muted. $17: whether the sender may send anywhere, as the server's own bots.
 */
const toChannels = (calling: typeof callingBots) => `${columns},
    target as materialized (
      select i.*, c.id as channel_id, c.name as channel_name, not c.invite_only as is_public, t.id as topic_id,
        t.name as topic_name${calling.column}
      from input i
        -- "offset 0" leaves the planner no choice but a look-up by key for each message: a plan that is kept must not
        -- rest on how many topics or subscriptions there were when it was made.
        cross join lateral (select * from channels where realm_id = $1 and id = coalesce(i.target_id,
          (select named.id from channels named where named.realm_id = $1 and lower(named.name) = lower(i.target_name)))
          offset 0) c
        cross join lateral (select max_rank from user_groups where id = c.can_send_message_group_id offset 0) senders
        cross join lateral (
          select id, name from topics where channel_id = c.id and lower(name) = lower(i.topic) offset 0) t
        left join lateral (
          select active, is_muted from subscriptions where user_id = i.sender_id and channel_id = c.id offset 0) s on true
      where c.is_recently_active
        and ($16::boolean or (c.first_message_id is not null and not coalesce(s.is_muted, false)))
        and ($17::boolean or (not c.is_archived
          -- The usual case, a group by rank, costs no call.
          and (i.sender_rank <= senders.max_rank or ${holdsPermissionSql("can_send_message_group", at)}
            or ${mayOwnerSend("i.bot_owner_id", "c")})
          and ((${contentAccessSql(at)} and (s.active or c.history_public_to_subscribers))
            or ${isOwnerSubscribed("i.bot_owner_id", "c")})))
    ),
    locked as materialized (
      select ${sharedChannelLock("id")} from (select distinct channel_id as id from target order by 1) channel
    ),
    ${lockedSenders},
    -- A topic may have got another name while the lock was waited for.
    named as materialized (
      select are_topics_named(array_agg(topic_id), array_agg(topic_name)) as are_as_seen
      from target, (select count(*) as count from locked) held where held.count > 0
    ),
    numbered as materialized (
      select target.*, nextval('messages_id_seq') as id from target
      where (select are_as_seen from named) and (select count(*) from locked_senders) > 0
    ),
    ${calling.flags}
    ${storeAndTell(
      "channel_id",
      `'{"channel":{"id":' || channel_id || ',"at":' || id || '}'${calling.audience} ||
          case when is_public then ',"publicChannel":true}' else '}' end`,
      `'"conversation":{"id":' || channel_id || ',"channel":{"name":' || to_json(channel_name)::text
          || '}},"topic":' || to_json(topic_name)::text`,
      calling.fields,
    )}`;

export const sendToChannels = { name: "send-to-channels", text: toChannels(callingNobody) };

/** The same for messages that mention people by name, $19. */
export const sendToChannelsCallingBots = { name: "send-to-channels-calling-bots", text: toChannels(callingBots) };

/**
 * $16: the domain of stand-in addresses; $17: whether who may write to whom has been judged already. A conversation
 * with somebody deactivated is closed, unless it is with oneself. What is said to an outgoing-webhook bot has to be handed
 * on, which a transaction of its own sees to.
 */
export const sendDirect = {
  name: "send-direct",
  text: `${columns},
    target as materialized (
      select i.*, i.target_id as conversation_id, null::bigint as topic_id, people.ids, people.shown
      from input i
        join participations own on own.conversation_id = i.target_id and own.user_id = i.sender_id
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
    ${storeAndTell(
      "conversation_id",
      `'{"users":' || ids::text || '}'`,
      `'"conversation":{"id":' || conversation_id || ',"parties":' || shown::text || '},"topic":""'`,
    )}`,
};

/** The arrays both statements begin with. */
export function groupValues(
  realm: { id: number; version: number },
  group: (Outgoing & { targetId: number | undefined; targetName: string | undefined; topic: string })[],
): unknown[] {
  return [
    realm.id,
    realm.version,
    bigintArray(group.map((item) => item.senderId)),
    bigintArray(group.map((item) => item.senderVersion)),
    integerArray(group.map((item) => item.senderRank)),
    integerArray(group.map((item) => item.clientId)),
    textArray(group.map((item) => item.content)),
    textArray(group.map((item) => item.renderedContent)),
    integerArray(group.map((item) => item.traits | (item.isMeMessage ? meMark : 0))),
    booleanArray(group.map((item) => item.readBySender)),
    textArray(group.map((item) => item.sourceJson)),
    textArray(group.map((item) => item.eventJson)),
    bigintArray(group.map((item) => item.targetId ?? null)),
    textArray(group.map((item) => item.targetName ?? null)),
    textArray(group.map((item) => item.topic)),
  ];
}
