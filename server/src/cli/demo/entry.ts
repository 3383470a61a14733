/** Lines of all conversations in the order they were said, with where they go, and the server's own notices among them. */
import type { User } from "../../http/sessions.ts";
import type { Channel } from "../../domain/channels/access.ts";
import { silentMention } from "../../domain/channels/notices.ts";
import { member, type Cast } from "./accounts.ts";
import type { Conversation, Line } from "./conversation.ts";

export interface ChannelTarget {
  channel: Channel;
  topicId: number;
  /** As it is called now. */
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
  /** The line before it in the same conversation. */
  before: Entry | undefined;
}

/** Who says what the server has to say. */
export const notifier = "notifier";

const minute = 60 * 1000;

/** The lines with notices that a topic was moved here and was resolved. */
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
