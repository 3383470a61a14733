import type { ParamsOf } from "@skein/api/endpoint.ts";
import { getMessages, matchNarrow, maxFetchedMessages } from "@skein/api/fetch-messages.ts";
import { getMessage } from "@skein/api/messages.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { fetchMessage } from "./fetch.ts";
import { fetchListed, fetchRange, findMatches } from "./fetch-page.ts";
import { readRange, tooManyMessages } from "./fetch-range.ts";

/** Parameters that cannot be combined with `message_ids`. */
const rangeNames = ["num_before", "num_after", "anchor", "include_anchor", "use_first_unread_anchor"] as const;

function refuseListWithRange(params: ParamsOf<typeof getMessages>): void {
  const isGiven = rangeNames.some((name) => params[name] !== undefined);
  if (!isGiven) return;
  const parameters = ["num_before", "num_after", "anchor", "message_ids", "include_anchor", "use_first_unread_anchor"];
  throw new ApiError(`Unsupported parameter combination: ${parameters.join(", ")}`, {
    data: { parameters: parameters.join(", ") },
  });
}

export const fetchEndpoints: BoundEndpoint[] = [
  handle(
    getMessages,
    async ({ ctx, user, params }) => {
      const form = {
        apply_markdown: params.apply_markdown,
        client_gravatar: params.client_gravatar && ctx.config.gravatar,
        empty_topic_name: params.allow_empty_topic_name,
      };
      const narrow = params.narrow ?? [];
      if (params.message_ids) {
        refuseListWithRange(params);
        if (params.message_ids.length > maxFetchedMessages) throw tooManyMessages();
        const messages = await fetchListed(ctx, user, narrow, params.message_ids, form);
        return { messages, found_anchor: false, found_oldest: false, found_newest: false, history_limited: false };
      }
      const range = readRange({ ...params, anchor_date: { given: params.anchor_date } });
      if (range.before + range.after > maxFetchedMessages) throw tooManyMessages();
      const { ids: _, ...page } = await fetchRange(ctx, user, narrow, range, form);
      return { ...page, history_limited: false };
    },
    "inside",
  ),
  handle(
    matchNarrow,
    async ({ ctx, user, params }) => ({ messages: await findMatches(ctx, user, params.narrow, params.msg_ids) }),
    "inside",
  ),
  handle(
    getMessage,
    async ({ ctx, user, params }) => {
      const { message, content } = await fetchMessage(ctx, user, params.message_id, {
        apply_markdown: params.apply_markdown,
        empty_topic_name: params.allow_empty_topic_name,
        client_gravatar: ctx.config.gravatar,
      });
      return { message, raw_content: content };
    },
    "inside",
  ),
];
