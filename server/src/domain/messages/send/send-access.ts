/** Checks that explain why a message may not be sent. The rules are those of the statement that sends. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { isOwnerSubscribed, mayOwnerSend } from "../../people/bots/owner-rights.ts";
import {
  hasContentAccess,
  hasMetadataAccess,
  holdsPermission,
  type Channel,
  type ChannelTarget,
} from "../../channels/access.ts";
import { accessTopic } from "../../channels/topics/policy.ts";
import type { DirectConversation } from "./recipients.ts";

type FoundChannel = Channel & {
  has_metadata: boolean;
  has_content: boolean;
  may_send: boolean;
  is_subscribed: boolean;
  is_owner_subscribed: boolean;
};

/** The channel, for a user who may send to it now. */
export async function accessChannelForSending(db: Db, user: User, target: ChannelTarget): Promise<Channel> {
  const isTarget = "id" in target ? sql`c.id = ${target.id}` : sql`lower(c.name) = lower(${target.name})`;
  // Our own number, safe to put into the SQL text.
  const owner = user.bot_owner_id === null ? "null::bigint" : String(user.bot_owner_id);
  const { rows } = await sql<FoundChannel>`
    select c.*, ${hasMetadataAccess(user, "c", "s")} as has_metadata, ${hasContentAccess(user, "c", "s")} as has_content,
      (${holdsPermission(user, "can_send_message_group", "c")} or ${sql.raw(mayOwnerSend(owner, "c"))}) as may_send,
      coalesce(s.active, false) as is_subscribed, ${sql.raw(isOwnerSubscribed(owner, "c"))} as is_owner_subscribed
    from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and ${isTarget}`.execute(db);
  const [channel] = rows;
  if (!channel || !(channel.has_metadata || channel.is_owner_subscribed)) throw channelDoesNotExist(target);
  const isOpen =
    (channel.has_content && (channel.is_subscribed || channel.history_public_to_subscribers)) ||
    channel.is_owner_subscribed;
  if (!isOpen || channel.is_archived) throw new ApiError(`Not authorized to send to channel '${channel.name}'`);
  if (!channel.may_send) throw new ApiError("You do not have permission to post in this channel.");
  return channel;
}

/** The same, if the sender may write to this topic of it. */
export async function accessTopicForSending(
  db: Db,
  user: User,
  target: ChannelTarget,
  topic: string,
): Promise<Channel> {
  const channel = await accessChannelForSending(db, user, target);
  accessTopic(user.realm, channel, topic);
  await accessNewTopic(db, user, channel, topic);
  return channel;
}

/** Refuses a topic without messages to somebody who may not start topics. */
export async function accessNewTopic(
  db: Db,
  user: User,
  { id, can_create_topic_group_id: starters }: Channel,
  topic: string,
): Promise<void> {
  if (starters === null) return;
  const { rows } = await sql<{ may_write: boolean }>`
    select may_write_to_topic(${user.id}, ${user.rank}, ${user.bot_owner_id}::bigint, ${starters}, (
      select id from topics where channel_id = ${id} and lower(name) = lower(${topic}))) as may_write`.execute(db);
  if (!rows[0]?.may_write) throw new ApiError("You do not have permission to create new topics in this channel.");
}

export function channelDoesNotExist(target: ChannelTarget): ApiError {
  const code = "STREAM_DOES_NOT_EXIST";
  return "id" in target
    ? new ApiError(`Channel with ID '${target.id}' does not exist`, { code, data: { stream_id: target.id } })
    : new ApiError(`Channel '${target.name}' does not exist`, { code, data: { stream: target.name } });
}

interface Party {
  id: number;
  full_name: string;
  is_active: boolean;
  is_bot: boolean;
  is_permitted: boolean;
  may_initiate: boolean;
}

/** Refuses unless the sender may write to these people now. Throws StaleSession if there is no such conversation. */
export async function accessPartiesForSending(db: Db, user: User, { id, key }: DirectConversation): Promise<void> {
  const { rows } = await sql<Party>`
    select u.id, u.full_name, u.is_active, u.is_bot,
      in_group(u.id, rank_of(u.role, u.date_joined, r.waiting_period_threshold), r.direct_message_permission_group_id)
        as is_permitted,
      in_group(u.id, rank_of(u.role, u.date_joined, r.waiting_period_threshold), r.direct_message_initiator_group_id)
        as may_initiate
    from conversations c join participations p on p.conversation_id = c.id
      join users u on u.id = p.user_id join realms r on r.id = u.realm_id
    where c.id = ${id} and c.direct_key = ${key} order by u.id`.execute(db);
  const sender = rows.find((party) => party.id === user.id);
  if (!sender) throw new StaleSession();
  const gone = rows.find((party) => !party.is_active);
  if (gone) throw new ApiError(`'${gone.full_name}' is no longer using Skein.`);
  const isExempt = sender.is_bot || rows.every((party) => party.id === user.id || party.is_bot);
  if (isExempt) return;
  if (!rows.some((party) => party.is_permitted))
    throw new ApiError("Direct messages are disabled in this organization.");
  if (!sender.may_initiate && !(await hasMessages(db, id)))
    throw new ApiError("You do not have permission to initiate direct message conversations.");
}

async function hasMessages(db: Db, conversationId: number): Promise<boolean> {
  const row = await db
    .selectFrom("messages")
    .select("id")
    .where("conversation_id", "=", conversationId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
