/** What the notification bot says of messages that were moved, where they were and where they are. */
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { silentMention } from "../channels/notices.ts";
import { sendNotice } from "../messages/notice.ts";
import { isResolution, resolvedMark } from "../topics/resolved.ts";
import type { Move, Place } from "./move.ts";
import type { Wish } from "./wish.ts";

export async function tellOfMove(tx: Tx, ctx: Context, actor: User, move: Move, wish: Wish): Promise<void> {
  const { from, to, taken } = move;
  const say = (place: Place, text: string) => {
    const destination = { channelId: place.channel.id, topic: place.topic };
    return sendNotice(tx, ctx, actor.realm, "notification-bot", destination, `${silentMention(actor)} ${text}`);
  };
  if (isOnlyResolution(move)) {
    if (!taken.isWholeTopic) return;
    const isResolved = to.topic.startsWith(resolvedMark);
    await say(to, isResolved ? "marked this topic as resolved." : "opened this topic again.");
    return;
  }
  const { ids } = taken.messages;
  if (wish.tellOldThread) await say(from, `${whatWent(move)} to ${linkTo(to, ids[0])}.`);
  if (wish.tellNewThread) await say(to, `${whatCame(move)} from ${linkTo(from)}.`);
}

const isOnlyResolution = ({ from, to }: Move): boolean =>
  from.channel.id === to.channel.id && isResolution(from.topic, to.topic);

/** To a topic, or to a message in it. A name that would end the link early is only named. */
function linkTo({ channel, topic }: Place, messageId?: number): string {
  const breaksLink = /[*>@]|\]\(/;
  if (breaksLink.test(channel.name) || breaksLink.test(topic)) return `**${channel.name}** > ${topic}`;
  return messageId === undefined ? `#**${channel.name}>${topic}**` : `#**${channel.name}>${topic}@${messageId}**`;
}

const counted = (count: number): string => (count === 1 ? "a message" : `${count} messages`);

const whatWent = ({ taken }: Move): string =>
  taken.isWholeTopic ? "moved this topic" : `moved ${counted(taken.messages.ids.length)} from this topic`;

const whatCame = ({ taken, isMerge }: Move): string =>
  taken.isWholeTopic && !isMerge ? "moved this topic here" : `moved ${counted(taken.messages.ids.length)} here`;
