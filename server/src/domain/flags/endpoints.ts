import { updateMessageFlags } from "@skein/api/flags.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import { readFlagChange, updateFlags } from "./actions.ts";

export const flagEndpoints: BoundEndpoint[] = [
  handle(
    updateMessageFlags,
    async ({ ctx, user, params }) => {
      const change = readFlagChange(params.op, params.flag);
      const { changed, notSubscribed } = await updateFlags(ctx.db, user, change, params.messages);
      const isUnread = change.op === "remove" && change.flag === "read";
      return {
        messages: changed,
        ...(isUnread && { ignored_because_not_subscribed_channels: notSubscribed }),
      };
    },
    "inside",
  ),
];
