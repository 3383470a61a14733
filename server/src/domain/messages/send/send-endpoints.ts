import * as api from "@skein/api/messages.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { compose } from "./compose.ts";
import { sendMessage } from "./send.ts";

export const sendEndpoints: BoundEndpoint[] = [
  handle(api.sendMessage, ({ ctx, user, params, request }) => sendMessage(ctx, user, params, request), "inside"),

  handle(api.renderMessage, async ({ ctx, user, params: { content }, request: { clientName, origin } }) => {
    const { rendered } = await compose(ctx, ctx.db, user, { content, clientName, origin });
    return { rendered: rendered.html };
  }),
];
