import * as api from "@skein/api/edits.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { listSnapshots } from "./snapshots.ts";
import { updateMessage } from "./update.ts";

export const editEndpoints: BoundEndpoint[] = [
  handle(api.updateMessage, ({ ctx, user, params, request }) => updateMessage(ctx, user, params, request)),

  handle(api.getMessageHistory, async ({ ctx, user, params }) => {
    const form = { empty_topic_name: params.allow_empty_topic_name };
    return { message_history: await listSnapshots(ctx.db, user, params.message_id, form) };
  }),
];
