/** The notification bot's messages about a move, in the old and the new topic. */
import type { TxContext } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { silentMention } from "../../base/mention-syntax.ts";
import { sendNotice } from "../send/notice.ts";
import { isResolution, resolvedMark } from "../../channels/topics/resolved.ts";
import type { Move, Place } from "./move.ts";
import type { EditRequest } from "./edit-request.ts";

export async function sendMoveNotices(
  tx: Tx,
  ctx: TxContext,
  actor: User,
  move: Move,
  request: EditRequest,
): Promise<void> {
  const { from, to, selected } = move;
  const post = (place: Place, text: string) => {
    const destination = { channelId: place.channel.id, topic: place.topic };
    return sendNotice(tx, ctx, actor.realm, "notification-bot", destination, `${silentMention(actor)} ${text}`);
  };
  if (isOnlyResolution(move)) {
    if (!selected.isAllTheySee) return;
    const isResolved = to.topic.startsWith(resolvedMark);
    await post(to, isResolved ? "marked this topic as resolved." : "marked this topic as unresolved.");
    return;
  }
  const { ids } = selected.messages;
  if (request.notifyOldThread) await post(from, `${departureText(move)} to ${linkTo(to, ids[0])}.`);
  if (request.notifyNewThread) await post(to, `${arrivalText(move)} from ${linkTo(from)}.`);
}

const isOnlyResolution = ({ from, to }: Move): boolean =>
  from.channel.id === to.channel.id && isResolution(from.topic, to.topic);

/** A link to a topic, or to a message in it. A name that would break the link is written as plain text. */
function linkTo({ channel, topic }: Place, messageId?: number): string {
  const breaksLink = /[*>@]|\]\(/;
  if (breaksLink.test(channel.name) || breaksLink.test(topic)) return `**${channel.name}** > ${topic}`;
  return messageId === undefined ? `#**${channel.name}>${topic}**` : `#**${channel.name}>${topic}@${messageId}**`;
}

const counted = (count: number): string => (count === 1 ? "a message" : `${count} messages`);

/** The texts must not reveal whether there are messages that the mover cannot read. */
const departureText = ({ selected }: Move): string =>
  selected.isAllTheySee ? "moved this topic" : `moved ${counted(selected.messages.ids.length)} from this topic`;

const arrivalText = ({ selected, isMergeToMover }: Move): string =>
  selected.isAllTheySee && !isMergeToMover
    ? "moved this topic here"
    : `moved ${counted(selected.messages.ids.length)} here`;
