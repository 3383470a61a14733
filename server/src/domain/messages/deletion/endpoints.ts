import * as api from "@skein/api/deletion.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { deleteMessage } from "./delete-message.ts";
import { deleteTopic } from "./delete-topic.ts";
import { byCaller, record } from "../../organization/audit/record.ts";

export const deletionEndpoints: BoundEndpoint[] = [
  handle(api.deleteMessage, async ({ ctx, user, params, request }) => {
    await revoke(ctx, "delete message", async (tx) => {
      const sender_id = await deleteMessage(tx, user, params.message_id);
      if (sender_id === user.id) return;
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "message.delete",
        target: { kind: "message", id: params.message_id },
        before: { sender_id },
      });
    });
    return {};
  }),

  handle(api.deleteTopic, async ({ ctx, user, params, request }) => ({
    complete: await deleteTopic(ctx, { user, request }, params.stream_id, params.topic_name),
  })),
];
