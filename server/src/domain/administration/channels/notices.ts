/** The notification bot's messages about new and changed channels. */
import type { TopicsPolicy } from "@skein/api/channels.ts";
import type { TxContext } from "../../../context.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { channelLink, silentMention } from "../../base/mention-syntax.ts";
import { sendNotice } from "../../messages/send/notice.ts";
import type { Channel } from "../../channels/access.ts";
import { topicsPolicyOf } from "../../channels/topics/policy.ts";

const eventsTopic = "channel events";
const newChannelsTopic = "new channels";

/** Who changed a channel: a user, or the operator of the server. */
export type Actor = User | { realm: Realm };

/** Sends a notice about a channel to the channel itself. */
export async function sendChannelNotice(
  tx: Tx,
  ctx: TxContext,
  actor: Actor,
  channel: Channel,
  text: string,
): Promise<void> {
  if (!actor.realm.send_channel_events_messages) return;
  const to = { channelId: channel.id, topic: eventsTopic };
  const who = "id" in actor ? silentMention(actor) : "The operator of this server";
  await sendNotice(tx, ctx, actor.realm, "notification-bot", to, `${who} ${text}`);
}

/** One text for each change that everybody in the channel should know of. */
export function describeChanges(before: Channel, after: Channel): string[] {
  const changes: string[] = [];
  if (before.name !== after.name) changes.push(`renamed this channel from **${before.name}** to **${after.name}**.`);
  if (before.description !== after.description)
    changes.push(
      `changed the description of this channel.\n\nOld description:\n\n${quoted(before.description)}\n\nNew description:\n\n${quoted(after.description)}`,
    );
  if (privacy(before) !== privacy(after))
    changes.push(`changed the privacy of this channel from **${privacy(before)}** to **${privacy(after)}**.`);
  if (before.message_retention_days !== after.message_retention_days)
    changes.push(
      `changed how long messages in this channel are kept from **${retention(before)}** to **${retention(after)}**.`,
    );
  if (before.can_send_message_group_id !== after.can_send_message_group_id)
    changes.push("changed who can post in this channel.");
  if (before.topics_policy !== after.topics_policy)
    changes.push(`changed which topics this channel has from **${topics(before)}** to **${topics(after)}**.`);
  return changes;
}

/** A description is one line. */
const quoted = (text: string): string => (text === "" ? "*empty*" : `> ${text}`);

function privacy(channel: Channel): string {
  if (channel.is_web_public) return "web-public";
  if (!channel.invite_only) return "public";
  return channel.history_public_to_subscribers ? "private, with shared history" : "private, with protected history";
}

function retention({ message_retention_days: days }: Channel): string {
  if (days === null) return "the organization's default";
  if (days === -1) return "forever";
  return days === 1 ? "one day" : `${days} days`;
}

const topicsTexts: Record<TopicsPolicy, string> = {
  inherit: "as in the whole organization",
  allow_empty_topic: "named ones and general chat",
  disable_empty_topic: "named ones only",
  empty_topic_only: "general chat only",
};

const topics = (channel: Channel): string => topicsTexts[topicsPolicyOf(channel)];

/** Announces new channels in the organization's channel for it. Private channels are not announced. */
export async function announceNewChannels(
  tx: Tx,
  ctx: TxContext,
  creator: User,
  created: readonly Channel[],
): Promise<void> {
  const channelId = creator.realm.new_stream_announcements_stream_id;
  const names = created.filter((channel) => !channel.invite_only).map(channelLink);
  if (channelId === null || names.length === 0) return;
  const object = names.length === 1 ? "a new channel" : "new channels";
  const text = `${silentMention(creator)} created ${object}: ${names.join(", ")}`;
  await sendNotice(tx, ctx, creator.realm, "notification-bot", { channelId, topic: newChannelsTopic }, text);
}
