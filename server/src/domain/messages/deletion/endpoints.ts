import * as api from "@skein/api/deletion.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { deleteMessage } from "./delete-message.ts";
import { deleteTopic } from "./delete-topic.ts";

export const deletionEndpoints: BoundEndpoint[] = [
  handle(api.deleteMessage, async ({ ctx, user, params }) => {
    await revoke(ctx, "delete message", (tx) => deleteMessage(tx, user, params.message_id));
    return {};
  }),

  handle(api.deleteTopic, async ({ ctx, user, params }) => ({
    complete: await deleteTopic(ctx, user, params.stream_id, params.topic_name),
  })),
];
