/**
 * The statements that send: for a whole group of messages they judge, store and tell, in one round trip and one
 * transaction. A message whose sending needs more than that (a topic or a first message to be made, an error to be
 * explained, an account that has changed) simply does not come back; `send.ts` sees to it.
 *
 * The lock that excludes subscription changes is taken before ids are given out, so that a message's id tells who
 * receives it.
 */
import { prefix } from "../../events/log-format.ts";
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
        join realms r on r.id = $1 and r.version = $2
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
    select n.n::integer as n, n.id from numbered n, (select count(*) from told) t order by n.n`;

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
        join channels c on c.realm_id = $1 and c.id = coalesce(i.target_id,
          (select named.id from channels named where named.realm_id = $1 and lower(named.name) = lower(i.target_name)))
        join user_groups senders on senders.id = c.can_send_message_group_id
        join topics t on t.channel_id = c.id and lower(t.name) = lower(i.topic)
        left join subscriptions s on s.user_id = i.sender_id and s.channel_id = c.id
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
      select target.*, nextval('messages_id_seq') as id from (select count(*) from locked) l, target order by n
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
      select target.*, nextval('messages_id_seq') as id from target order by n
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
    group.map((item) => item.senderId),
    group.map((item) => item.senderVersion),
    group.map((item) => item.senderRank),
    group.map((item) => item.clientId),
    group.map((item) => item.content),
    group.map((item) => item.renderedContent),
    group.map((item) => item.isMeMessage),
    group.map((item) => item.readBySender),
    group.map((item) => item.sourceJson),
    group.map((item) => item.eventJson),
    group.map((item) => item.targetId ?? null),
    group.map((item) => item.targetName ?? null),
    group.map((item) => item.topic),
  ];
}
