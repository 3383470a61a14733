/** Resolves whom a message mentions, and checks that its sender may mention that many people. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { RenderedMarkdown } from "../../../markdown/render.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { holdsRealmPermission } from "../../organization/permissions/held-permissions.ts";
import type { Consequence } from "./consequence.ts";

/** Mentioning more people than this at once takes a permission. */
const many = 15;

export interface Mentions {
  /** Users mentioned by name or through a group. */
  users: number[];
  channel: boolean;
  /** If the whole topic is mentioned, the users who have written or reacted in it. */
  participants: number[];
}

export const mentionsAnybody = (rendered: RenderedMarkdown): boolean =>
  rendered.mentionedUserIds.length > 0 ||
  rendered.mentionedGroupIds.length > 0 ||
  rendered.mentionsChannel ||
  rendered.mentionsTopic;

/** `place` is undefined for a direct message. */
export async function accessMentions(
  db: Db,
  user: User,
  rendered: RenderedMarkdown,
  place: { channelId: number; topic: string } | undefined,
): Promise<Mentions> {
  await accessGroups(db, user, rendered.mentionedGroupIds);
  const users = await withMembers(db, rendered);
  if (!place) return { users, channel: rendered.mentionsChannel, participants: [] };
  if (rendered.mentionsChannel) await accessChannelMention(db, user, place.channelId);
  const participants = rendered.mentionsTopic ? await accessTopicMention(db, user, place) : [];
  return { users, channel: rendered.mentionsChannel, participants };
}

async function accessGroups(db: Db, user: User, groupIds: number[]): Promise<void> {
  if (groupIds.length === 0) return;
  const { rows } = await sql<{ name: string }>`
    select name from user_groups
    where id = any(${groupIds}::bigint[]) and not in_group(${user.id}, ${user.rank}, can_mention_group_id)`.execute(db);
  const [refused] = rows;
  if (refused) throw new ApiError(`You are not allowed to mention user group '${refused.name}'.`);
}

/** The mentioned users and all active members of the mentioned groups and their subgroups. */
async function withMembers(db: Db, { mentionedUserIds, mentionedGroupIds }: RenderedMarkdown): Promise<number[]> {
  if (mentionedGroupIds.length === 0) return mentionedUserIds;
  const { rows } = await sql<{ id: number }>`
    with recursive inside (id) as (
      select unnest(${mentionedGroupIds}::bigint[])
      union
      select s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.id
    )
    select m.user_id as id from inside i join user_group_members m on m.group_id = i.id
      join users u on u.id = m.user_id and u.is_active
    union
    select u.id from inside i join user_groups g on g.id = i.id join realms r on r.id = g.realm_id
      join users u on u.realm_id = r.id and u.is_active
        and rank_of(u.role, u.date_joined, r.waiting_period_threshold) <= g.max_rank`.execute(db);
  return [...new Set([...mentionedUserIds, ...rows.map((row) => row.id)])];
}

async function accessChannelMention(db: Db, user: User, channelId: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from subscriptions s join users u on u.id = s.user_id and u.is_active
      where s.channel_id = ${channelId} and s.active limit ${many + 1}) as counted`.execute(db);
  if ((rows[0]?.count ?? 0) <= many || (await mayMentionMany(db, user))) return;
  throw new ApiError("You do not have permission to use channel wildcard mentions in this channel.", {
    code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
  });
}

async function accessTopicMention(
  db: Db,
  user: User,
  { channelId, topic }: { channelId: number; topic: string },
): Promise<number[]> {
  const isHere = sql`t.channel_id = ${channelId} and lower(t.name) = lower(${topic})`;
  if (!(await mayMentionMany(db, user))) {
    // Stops counting once the limit is exceeded, however long the topic is.
    const { rows: few } = await sql<{ id: number }>`
      select participant as id from topics t cross join lateral few_topic_participants(t.id, ${many + 1}) as participant
      where ${isHere}`.execute(db);
    if (few.length > many)
      throw new ApiError("You do not have permission to use topic wildcard mentions in this topic.", {
        code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
      });
    return few.map((row) => row.id);
  }
  const written = sql`topics t join messages m on m.topic_id = t.id`;
  // Two queries, so that reactions are found through the topic's index without reading its messages.
  const { rows } = await sql<{ id: number }>`
    select m.sender_id as id from ${written} where ${isHere}
    union
    select r.user_id from ${written} join reactions r on r.message_id = m.id where ${isHere}`.execute(db);
  return rows.map((row) => row.id);
}

const mayMentionMany = (db: Db, user: User): Promise<boolean> =>
  holdsRealmPermission(db, user, "can_mention_many_users_group");

/** Sets the flags of the users a message mentions. */
export const mentionFlags: Consequence = {
  isDue: ({ rendered }) => mentionsAnybody(rendered),
  async apply(tx, _ctx, { id, sender, mentions, place }) {
    if (!mentions) return;
    const conversation = "channel" in place ? place.channel.id : place.conversationId;
    const receivers = "channel" in place ? "subscriptions" : "participations";
    await storeMentions(tx, receivers, { id: conversation, realm_id: sender.realm_id }, id, mentions);
  },
};

/**
 * Only users who receive the message have flags on it: a mention does not give access. Bots called from outside the
 * channel got theirs from the statement that sent the message, even if they have been subscribed since.
 */
async function storeMentions(
  tx: Tx,
  receivers: "subscriptions" | "participations",
  conversation: { id: number; realm_id: number },
  messageId: number,
  { users, channel, participants }: Mentions,
): Promise<void> {
  const place = sql.raw(receivers === "subscriptions" ? "active and channel_id" : "conversation_id");
  await sql`
    insert into message_flags (user_id, message_id, realm_id, mentioned, topic_wildcard_mentioned)
    select user_id, ${messageId}, ${conversation.realm_id}, user_id = any(${users}::bigint[]),
      user_id = any(${participants}::bigint[])
    from ${sql.table(receivers)} where ${place} = ${conversation.id}
      and user_id = any(${[...users, ...participants]}::bigint[])
    on conflict (user_id, message_id) do update set topic_wildcard_mentioned = excluded.topic_wildcard_mentioned`.execute(
    tx,
  );
  if (channel) await tx.updateTable("messages").set({ mentions_channel: true }).where("id", "=", messageId).execute();
}
