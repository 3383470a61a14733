import type { ScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import type { ScheduledRow } from "./access.ts";

export function scheduledObject(row: ScheduledRow): ScheduledMessage {
  const { channel_id, topic, user_ids } = row;
  const common = {
    scheduled_message_id: row.id,
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: toTimestamp(row.deliver_at),
    failed: row.failed,
  };
  return channel_id === null
    ? { type: "private", to: user_ids ?? [], ...common }
    : { type: "stream", to: channel_id, topic: topic ?? "", ...common };
}
