/** Whether a message may be scheduled: it is judged as if it were sent now. At its time it is judged again. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { compose, type Composed, type Manner } from "../messages/compose.ts";
import { accessMentions, mentionsAnybody } from "../messages/mentions.ts";
import { directConversationWithin } from "../messages/recipients.ts";
import { accessChannelForSending, accessPartiesForSending } from "../messages/send-access.ts";
import { normalizeTopic } from "../topics/name.ts";

/** As the columns of a scheduled message have it. */
export type Address =
  | { channel_id: number; topic: string; user_ids: null }
  | { channel_id: null; topic: null; user_ids: number[] };

interface Wish {
  type: "direct" | "channel" | "stream" | "private";
  to: number | number[];
  topic?: string | undefined;
}

export function readAddress(user: User, { type, to, topic }: Wish): Address {
  if (type === "channel" || type === "stream") {
    if (typeof to !== "number") throw new ApiError("Expected a single channel ID");
    if (topic === undefined) throw new ApiError("Missing topic");
    return { channel_id: to, topic: normalizeTopic(user.realm, topic), user_ids: null };
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

export async function judge(
  tx: Tx,
  ctx: Context,
  user: User,
  address: Address,
  message: Manner & { content: string },
): Promise<Composed> {
  const composed = await compose(ctx, tx, user, message);
  const { rendered } = composed;
  if (address.channel_id !== null) {
    const { channel_id: channelId, topic } = address;
    await accessChannelForSending(tx, user, { id: channelId });
    if (mentionsAnybody(rendered)) await accessMentions(tx, user, rendered, { channelId, topic });
    return composed;
  }
  await accessPartiesForSending(tx, user, await directConversationWithin(tx, user, address.user_ids));
  if (mentionsAnybody(rendered)) await accessMentions(tx, user, rendered, undefined);
  return composed;
}
