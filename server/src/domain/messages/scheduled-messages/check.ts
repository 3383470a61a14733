/** Checks whether a message may be scheduled, as if it were sent now. It is checked again when it is due. */
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { compose, type Composed, type SendOptions } from "../send/compose.ts";
import { accessMentions, mentionsAnybody } from "../send/mentions.ts";
import { directConversationWithin } from "../send/recipients.ts";
import { accessPartiesForSending, accessTopicForSending } from "../send/send-access.ts";
import { readTopic } from "../../channels/topics/name.ts";

/** As stored in the columns of a scheduled message. */
export type Address =
  | { channel_id: number; topic: string; user_ids: null }
  | { channel_id: null; topic: null; user_ids: number[] };

interface AddressParams {
  type: "direct" | "channel" | "stream" | "private";
  to: number | number[];
  topic?: string | undefined;
}

export function readAddress(user: User, { type, to, topic }: AddressParams): Address {
  if (type === "channel" || type === "stream") {
    if (typeof to !== "number") throw new ApiError("Expected a single channel ID");
    if (topic === undefined) throw new ApiError("Missing topic");
    return { channel_id: to, topic: readTopic(topic), user_ids: null };
  }
  if (typeof to === "number") throw new ApiError("Expected a list of user IDs");
  if (to.length === 0) throw new ApiError("Message must have recipients");
  const others = [...new Set(to)].filter((id) => id !== user.id).toSorted((a, b) => a - b);
  return { channel_id: null, topic: null, user_ids: others.length > 0 ? others : [user.id] };
}

export function readTime(timestamp: number): Date {
  const time = new Date(timestamp * 1000);
  if (time.getTime() <= Date.now()) throw new ApiError("Scheduled delivery time must be in the future.");
  return time;
}

export async function composeChecked(
  tx: Tx,
  ctx: TxContext,
  user: User,
  address: Address,
  message: SendOptions & { content: string },
): Promise<Composed> {
  const composed = await compose(ctx, tx, user, message);
  const { rendered } = composed;
  if (address.channel_id !== null) {
    const { channel_id: channelId, topic } = address;
    await accessTopicForSending(tx, user, { id: channelId }, topic);
    if (mentionsAnybody(rendered)) await accessMentions(tx, user, rendered, { channelId, topic });
    return composed;
  }
  await accessPartiesForSending(tx, user, await directConversationWithin(tx, user, address.user_ids));
  if (mentionsAnybody(rendered)) await accessMentions(tx, user, rendered, undefined);
  return composed;
}
