/**
 * The statements that send: for a whole group of messages they judge, store and tell, in one round trip and one
 * transaction. A message whose sending needs more than that (a topic or a first message to be made, an error to be
 * explained, an account that has changed) simply does not come back; `send.ts` sees to it.
 *
 * The lock that excludes subscription changes is taken before ids are given out, so that a message's id tells who
 * receives it.
 */
import { prefix } from "../../events/log-format.ts";
import { bigintArray, booleanArray, integerArray, textArray } from "../../platform/db/binary-array.ts";
import { contentAccessSql, holdsPermissionSql } from "../channels/access.ts";
import { sharedChannelLock } from "../channels/lock.ts";
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

const columns = `
    with given as (
      select * from unnest(
        $3::bigint[], $4::bigint[], $5::integer[], $6::integer[], $7::text[], $8::text[], $9::boolean[], $10::boolean[],
        $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[]
      ) with ordinality as g (
        sender_id, sender_version, sender_rank, client_id, content, rendered_content, is_me_message, read_by_sender,
        source_json, event_json, target_id, target_name, topic, n)
    ),
    -- Who sends is who they were when they were authenticated, and so is their organization.
    input as (
      select g.* from given g
        join users u on u.id = g.sender_id and u.version = g.sender_version and u.is_active
      where (select version from realms where id = $1) = $2
    )`;

/** From the rows of `numbered`: stores them and tells of them. */
const storeAndTell = (conversation: string, audience: string, source: string) => `
    stored as (
      insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content,
        is_me_message, read_by_sender)
      select id, $1, ${conversation}, topic_id, sender_id, client_id, content, rendered_content, is_me_message,
        read_by_sender
      from numbered
    ),
    told as materialized (
      select pg_logical_emit_message(true, '${prefix}', count(*) || chr(10) || '{"x":' || pg_current_xact_id()::text
        || ',"r":' || $1::bigint || ',"e":[' || string_agg('[' || ${audience} || ',{"type":"message"' || event_json
        || ',"source":{"id":' || id || ',"timestamp":' || floor(extract(epoch from now()))::bigint || ',' || ${source}
        || ',' || source_json || '}}]', ',' order by id) || ']}') as position
      from numbered having count(*) > 0
    )
    select n::integer as n, id from numbered where (select count(*) from told) > 0`;

const reader = { id: "i.sender_id", rank: "i.sender_rank" };
const at = { channel: "c", subscription: "s", reader };

/** $16: whether a channel without any message may be sent to, which a transaction of its own sees to. */
export const sendToChannels = {
  name: "send-to-channels",
  text: `${columns},
    target as materialized (
      select i.*, c.id as channel_id, c.name as channel_name, not c.invite_only as is_public, t.id as topic_id,
        t.name as topic_name
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
          select active from subscriptions where user_id = i.sender_id and channel_id = c.id offset 0) s on true
      where not c.is_archived and c.is_recently_active and ($16::boolean or c.first_message_id is not null)
        -- The usual case, a group by rank, costs no call.
        and (i.sender_rank <= senders.max_rank or ${holdsPermissionSql("can_send_message_group", at)})
        and ${contentAccessSql(at)}
        and (s.active or c.history_public_to_subscribers)
    ),
    locked as materialized (
      select ${sharedChannelLock("id")} from (select distinct channel_id as id from target order by 1) channel
    ),
    numbered as materialized (
      select target.*, nextval('messages_id_seq') as id from target where (select count(*) from locked) > 0
    ),
    ${storeAndTell(
      "channel_id",
      `'{"channel":{"id":' || channel_id || ',"at":' || id || '}' ||
          case when is_public then ',"publicChannel":true}' else '}' end`,
      `'"conversation":{"id":' || channel_id || ',"channel":{"name":' || to_json(channel_name)::text
          || '}},"topic":' || to_json(topic_name)::text`,
    )}`,
};

/**
 * $16: the domain of stand-in addresses; $17: whether who may write to whom has been judged already. A conversation
 * with somebody deactivated is closed, unless it is with oneself.
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
            json_agg(json_build_object('id', u.id, 'full_name', u.full_name, 'email',
              ${apiEmailSql("u", "$16::text")}) order by u.id) as shown
          from participations p join users u on u.id = p.user_id where p.conversation_id = i.target_id
        ) people
      where people.are_active
        and ($17::boolean or (permitted.max_rank >= 600 and initiators.max_rank >= 600))
    ),
    numbered as materialized (
      select target.*, nextval('messages_id_seq') as id from target
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
    booleanArray(group.map((item) => item.isMeMessage)),
    booleanArray(group.map((item) => item.readBySender)),
    textArray(group.map((item) => item.sourceJson)),
    textArray(group.map((item) => item.eventJson)),
    bigintArray(group.map((item) => item.targetId ?? null)),
    textArray(group.map((item) => item.targetName ?? null)),
    textArray(group.map((item) => item.topic)),
  ];
}
