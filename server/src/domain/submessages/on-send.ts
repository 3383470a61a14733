import type { Consequence } from "../messages/consequence.ts";
import { widgetType } from "./widget.ts";

/** The event has told of it already. */
export const widgetStored: Consequence = {
  isDue: ({ widget }) => widget !== undefined,
  async apply(tx, _ctx, { id, sender, widget }) {
    if (!widget) return;
    await tx
      .insertInto("submessages")
      .values({ ...widget, realm_id: sender.realm_id, message_id: id, sender_id: sender.id, msg_type: widgetType })
      .execute();
  },
};
