import * as api from "@skein/api/messages.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import { sendMessage } from "./send.ts";

export const sendEndpoints: BoundEndpoint[] = [
  handle(api.sendMessage, ({ ctx, user, params, request }) => sendMessage(ctx, user, params, request), "inside"),
];
