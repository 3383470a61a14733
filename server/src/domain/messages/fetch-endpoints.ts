import { getMessage } from "@skein/api/messages.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import { fetchMessage } from "./fetch.ts";

export const fetchEndpoints: BoundEndpoint[] = [
  handle(
    getMessage,
    async ({ ctx, user, params }) => {
      const { message, content } = await fetchMessage(ctx.db, ctx.config, user, params.message_id, {
        apply_markdown: params.apply_markdown,
        empty_topic_name: params.allow_empty_topic_name,
        client_gravatar: true,
      });
      return { message, raw_content: content };
    },
    "inside",
  ),
];
