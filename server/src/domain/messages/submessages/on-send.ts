import type { Consequence } from "../send/consequence.ts";
import { widgetType } from "./widget.ts";

/** Stores the widget. The message's own event already contains it. */
export const storeWidget: Consequence = {
  isDue: ({ widget }) => widget !== undefined,
  async apply(tx, _ctx, { id, sender, widget }) {
    if (!widget) return;
    await tx
      .insertInto("submessages")
      .values({ ...widget, realm_id: sender.realm_id, message_id: id, sender_id: sender.id, msg_type: widgetType })
      .execute();
  },
};
