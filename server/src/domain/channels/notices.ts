/** What the notification bot says when channels are made and changed. */
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { sendNotice } from "../messages/notice.ts";
import type { Channel } from "./access.ts";

const eventsTopic = "channel events";
const newChannelsTopic = "new channels";

/** Names somebody without calling for their attention. */
export const silentMention = ({ id, full_name }: { id: number; full_name: string }): string =>
  `@_**${full_name}|${id}**`;

export const channelLink = ({ name }: Pick<Channel, "name">): string => `#**${name}**`;

/** Says something in a channel about the channel itself. */
export async function sendChannelNotice(
  tx: Tx,
  ctx: Context,
  actor: User,
  channel: Channel,
  text: string,
): Promise<void> {
  const to = { channelId: channel.id, topic: eventsTopic };
  await sendNotice(tx, ctx, actor.realm, "notification-bot", to, `${silentMention(actor)} ${text}`);
}

/** One sentence or two for each thing that everybody in the channel should know of. */
export function changesInWords(before: Channel, after: Channel): string[] {
  const changes: string[] = [];
  if (before.name !== after.name)
    changes.push(`renamed this channel: it was **${before.name}**, and is **${after.name}** now.`);
  if (before.description !== after.description)
    changes.push(
      `changed the description of this channel.\n\nIt was:\n\n${quoted(before.description)}\n\nIt is now:\n\n${quoted(after.description)}`,
    );
  if (privacy(before) !== privacy(after))
    changes.push(`changed who can read this channel: it was **${privacy(before)}**, and is **${privacy(after)}** now.`);
  if (before.message_retention_days !== after.message_retention_days)
    changes.push(
      `changed how long messages are kept here: **${retention(after)}** from now on, instead of **${retention(before)}**.`,
    );
  if (before.can_send_message_group_id !== after.can_send_message_group_id)
    changes.push("changed who may write in this channel.");
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
  if (days === null) return "as long as everywhere in the organization";
  if (days === -1) return "for ever";
  return days === 1 ? "one day" : `${days} days`;
}

/** Tells of new channels where the organization wants to hear of them. A private one is nobody else's business. */
export async function announceNewChannels(
  tx: Tx,
  ctx: Context,
  creator: User,
  created: readonly Channel[],
): Promise<void> {
  const channelId = creator.realm.new_stream_announcements_stream_id;
  const names = created.filter((channel) => !channel.invite_only).map(channelLink);
  if (channelId === null || names.length === 0) return;
  const what = names.length === 1 ? "a new channel" : "new channels";
  const text = `${silentMention(creator)} made ${what}: ${names.join(", ")}`;
  await sendNotice(tx, ctx, creator.realm, "notification-bot", { channelId, topic: newChannelsTopic }, text);
}
