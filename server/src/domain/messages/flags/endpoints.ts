import { maxFetchedMessages, newestAnchor } from "@skein/api/fetch-messages.ts";
import {
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  updateMessageFlags,
  updateMessageFlagsForNarrow,
} from "@skein/api/flags.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { accessReadableChannel } from "../../channels/access.ts";
import { findRange } from "../fetch/fetch-page.ts";
import { readRange, limitRange } from "../fetch/fetch-range.ts";
import { readFlagChange, updateFlags, type FlagChange } from "./actions.ts";
import { markPlaceRead } from "./mark-places.ts";

/** Channels whose messages were not changed because they cannot be unread for the user. */
const ignoredChannels = ({ op, flag }: FlagChange, notSubscribed: number[]) =>
  op === "remove" && flag === "read" ? { ignored_because_not_subscribed_channels: notSubscribed } : {};

export const flagEndpoints: BoundEndpoint[] = [
  handle(
    updateMessageFlags,
    async ({ ctx, user, params }) => {
      const change = readFlagChange(params.op, params.flag);
      const { changed, notSubscribed } = await updateFlags(ctx, user, change, params.messages);
      return { messages: changed, ...ignoredChannels(change, notSubscribed) };
    },
    "inside",
  ),
  handle(
    updateMessageFlagsForNarrow,
    async ({ ctx, user, params }) => {
      const change = readFlagChange(params.op, params.flag);
      const range = limitRange(readRange(params), maxFetchedMessages);
      const { ids, found_oldest, found_newest } = await findRange(ctx, user, params.narrow ?? [], range);
      const { changed, notSubscribed } = await updateFlags(ctx, user, change, ids);
      return {
        processed_count: ids.length,
        updated_count: changed.length,
        first_processed_id: ids[0] ?? null,
        last_processed_id: ids.at(-1) ?? null,
        found_oldest,
        found_newest,
        ...ignoredChannels(change, notSubscribed),
      };
    },
    "inside",
  ),
  handle(markAllAsRead, async ({ ctx, user }) => ({ complete: await markPlaceRead(ctx, user, []) })),
  handle(markChannelAsRead, async ({ ctx, user, params }) => {
    const channel = await accessReadableChannel(ctx.db, user, { id: params.stream_id });
    await markPlaceRead(ctx, user, [{ operator: "channel", operand: channel.id }]);
    return {};
  }),
  handle(markTopicAsRead, async ({ ctx, user, params }) => {
    const channel = await accessReadableChannel(ctx.db, user, { id: params.stream_id });
    const topic = [
      { operator: "channel", operand: channel.id },
      { operator: "topic", operand: params.topic_name },
    ];
    const newest = await findRange(ctx, user, topic, { anchor: newestAnchor, before: 1, after: 0, isAnchorIn: false });
    if (newest.ids.length === 0) throw new ApiError(`No such topic '${params.topic_name}'`);
    await markPlaceRead(ctx, user, topic);
    return {};
  }),
];
