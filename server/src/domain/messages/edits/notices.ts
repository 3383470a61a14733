/** The notification bot's messages about a move, in the old and the new topic. */
import { defaultUserSettings } from "@skein/api/settings.ts";
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
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
  const post = (place: Place, text: string, more?: Parameters<typeof sendNotice>[6]) => {
    const destination = { channelId: place.channel.id, topic: place.topic };
    const content = `${silentMention(actor)} ${text}`;
    return sendNotice(tx, ctx, actor.realm, "notification-bot", destination, content, more);
  };
  if (isOnlyResolution(move)) {
    if (!selected.isAllTheySee) return;
    const isResolved = to.topic.startsWith(resolvedMark);
    const text = isResolved ? "marked this topic as resolved." : "marked this topic as unresolved.";
    const unreadBy = await listUnreadBy(tx, actor, to);
    const id = await post(to, text, { unreadBy });
    await readByOthers(tx, to, id, unreadBy);
    return;
  }
  const { ids } = selected.messages;
  if (request.notifyOldThread) await post(from, `${departureText(move)} to ${linkTo(to, ids[0])}.`);
  if (request.notifyNewThread) await post(to, `${arrivalText(move)} from ${linkTo(from)}.`);
}

/** The subscribers who want to see a notice that a topic was resolved or reopened as unread. */
async function listUnreadBy(tx: Tx, actor: User, { channel, topicId }: Move["to"]): Promise<number[]> {
  const policy = sql`coalesce(u.settings->>'resolved_topic_notice_auto_read_policy',
    ${defaultUserSettings.resolved_topic_notice_auto_read_policy})`;
  const { rows } = await sql<{ id: number }>`
    select u.id from subscriptions s join users u on u.id = s.user_id
      left join user_topics chosen on chosen.user_id = u.id and chosen.topic_id = ${topicId}
    where s.channel_id = ${channel.id} and s.active and u.is_active and u.id <> ${actor.id}
      and (${policy} = 'never'
        or (${policy} = 'except_followed' and chosen.visibility_policy = ${visibilityPolicies.followed}))
    order by u.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** The channel is locked, so nobody subscribes meanwhile. */
const readByOthers = (tx: Tx, { channel }: Move["to"], id: number, unreadBy: readonly number[]) =>
  sql`
    update subscriptions set read = read + int8multirange(int8range(${id}::bigint, ${id}::bigint + 1))
    where channel_id = ${channel.id} and active and user_id <> all(${unreadBy}::bigint[])`.execute(tx);

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
