/**
 * Automatic changes of topic visibility: for the sender, according to the sender's settings, and for mentioned users,
 * according to theirs. Following takes precedence over unmuting.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { ChannelPlace, Consequence } from "../send/consequence.ts";
import { settingOf } from "../../people/settings/state.ts";
import { setPolicy } from "../../channels/user-topics/actions.ts";
import type { TopicInChannel } from "../../channels/user-topics/access.ts";

/**
 * The values of both settings about topics a user participates in: each value includes the ones after it, except the
 * last.
 */
export const participation = { participating: 1, writing: 2, starting: 3, never: 4 } as const;

const followed = visibilityPolicies.followed;
const unmuted = visibilityPolicies.unmuted;

const followsOnSend = (sender: User): boolean =>
  !sender.is_bot && settingOf(sender, "automatically_follow_topics_policy") <= participation.writing;

/**
 * Messages that start a topic or go to a muted channel are sent alone anyway (see send-statements.ts), so by default
 * nothing is due.
 */
export const automaticVisibility: Consequence = {
  isDue: ({ sender }) => followsOnSend(sender),
  async apply(tx, _ctx, { sender, rendered, place }) {
    if (!("channel" in place)) return;
    const topic: TopicInChannel = { id: place.topicId, name: place.topic, channel: place.channel };
    const policy = sender.is_bot ? undefined : await policyForSender(tx, sender, place);
    const changed = policy === undefined ? [] : await setPolicy(tx, topic, [sender.id], policy, "automatic");
    const mentioned = rendered.mentionedUserIds.filter((id) => id !== sender.id || policy !== followed);
    if (mentioned.length > 0) {
      const followers = await listFollowersWhereMentioned(tx, topic, mentioned);
      await setPolicy(tx, topic, followers, followed, "automatic");
    }
    return policy !== undefined && changed.length > 0 ? { automatic_new_visibility_policy: policy } : {};
  },
};

async function policyForSender(
  tx: Tx,
  sender: User,
  { channel, isNewTopic }: ChannelPlace,
): Promise<2 | 3 | undefined> {
  const applies = (policy: number) =>
    policy <= participation.writing || (policy === participation.starting && isNewTopic);
  if (applies(settingOf(sender, "automatically_follow_topics_policy"))) return followed;
  if (!applies(settingOf(sender, "automatically_unmute_topics_in_muted_streams_policy"))) return undefined;
  return (await hasMuted(tx, sender, channel.id)) ? unmuted : undefined;
}

/** Whether the user has muted the channel. */
export async function hasMuted(tx: Tx, user: User, channelId: number): Promise<boolean> {
  const subscription = await tx
    .selectFrom("subscriptions")
    .select("is_muted")
    .where("user_id", "=", user.id)
    .where("channel_id", "=", channelId)
    .executeTakeFirst();
  return subscription?.is_muted ?? false;
}

/** Of the users mentioned by name, those who receive the message and follow topics they are mentioned in. */
async function listFollowersWhereMentioned(tx: Tx, topic: TopicInChannel, userIds: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select u.id from users u join subscriptions s on s.user_id = u.id and s.channel_id = ${topic.channel.id} and s.active
    where u.id = any(${userIds}::bigint[]) and u.realm_id = ${topic.channel.realm_id} and u.is_active and not u.is_bot
      and coalesce((u.settings ->> 'automatically_follow_topics_where_mentioned')::boolean, true)`.execute(tx);
  return rows.map((row) => row.id);
}
