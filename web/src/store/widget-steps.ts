/** Steps in polls and task lists. */
import { addSubmessage } from "@skein/api/routes/submessages.ts";
import { call } from "../api/call.ts";
import { perform } from "./operations.ts";
import { ownId } from "./state.ts";

/** Negative until the server's event: the server never uses such ids. */
let lastId = 0;

export function takeStep(messageId: number, step: Record<string, unknown>): void {
  const content = JSON.stringify(step);
  perform({
    key: `step ${messageId}`,
    event: {
      type: "submessage",
      msg_type: "widget",
      message_id: messageId,
      submessage_id: --lastId,
      sender_id: ownId.peek(),
      content,
    },
    request: () => call(addSubmessage, { message_id: messageId, msg_type: "widget", content }),
  });
}
