/** Steps in polls and task lists, shown optimistically. */
import { addSubmessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { toast } from "./toasts.ts";
import { applyEvents } from "./events.ts";
import { dropSubmessage } from "./messages.ts";
import { reasonOf } from "./optimistic.ts";
import { ownId } from "./state.ts";

/** Negative: the server never uses such ids, and the event with the same content replaces it. */
let lastId = 0;

export function takeStep(messageId: number, step: Record<string, unknown>): void {
  const content = JSON.stringify(step);
  const submessage_id = --lastId;
  applyEvents([
    {
      type: "submessage",
      msg_type: "widget",
      message_id: messageId,
      submessage_id,
      sender_id: ownId.peek(),
      content,
    },
  ]);
  call(addSubmessage, { message_id: messageId, msg_type: "widget", content }).catch((error: unknown) => {
    dropSubmessage(messageId, submessage_id);
    toast(reasonOf(error), { kind: "danger" });
  });
}
