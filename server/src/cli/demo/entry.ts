/** All messages in order, with their destinations, including the server's notices. */
import type { User } from "../../identity/account.ts";
import type { Channel } from "../../domain/channels/access.ts";
import { silentMention } from "../../domain/base/mention-syntax.ts";
import { member, type Cast } from "./accounts.ts";
import type { Conversation, Line } from "./conversation.ts";

export interface ChannelTarget {
  channel: Channel;
  topicId: number;
  /** The current name. */
  topic: string;
}

export interface DirectTarget {
  conversationId: number;
  people: User[];
}

export type Target = ChannelTarget | DirectTarget;

export interface Entry {
  id: number;
  conversation: Conversation;
  target: Target;
  line: Line;
  /** The previous line of the same conversation. */
  before: Entry | undefined;
}

/** The sender of the server's notices. */
export const notifier = "notifier";

const minute = 60 * 1000;

/** Adds the notices about moved and resolved topics. */
export function withNotices(cast: Cast, { lines, resolvedBy, moved }: Conversation): Line[] {
  const last = lines.at(-1);
  const lastMoved = moved && lines[moved.count - 1];
  return [
    ...lines,
    ...(moved && lastMoved
      ? [notice(lastMoved, cast, moved.by, `moved this topic here from #**${moved.channel}>${moved.topic}**.`, 0.5)]
      : []),
    ...(resolvedBy !== undefined && last ? [notice(last, cast, resolvedBy, "marked this topic as resolved.", 4)] : []),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

const notice = (after: Line, cast: Cast, by: string, text: string, minutes: number): Line => ({
  by: notifier,
  at: new Date(after.at.getTime() + minutes * minute),
  text: `${silentMention(member(cast, by))} ${text}`,
  reactions: [],
  votes: [],
  textBefore: undefined,
  isStarred: false,
});
