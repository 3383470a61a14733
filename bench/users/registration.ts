/** Registrations as the web client makes them: all state, all events. */
import { apiRequest, type Account } from "../request.ts";
import type { Answer } from "./line.ts";

const fields = {
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: false,
  slim_presence: true,
  client_capabilities: JSON.stringify({
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: true,
    stream_typing_notifications: true,
    user_settings_object: true,
    linkifier_url_template: true,
    user_list_incomplete: true,
    include_deactivated_groups: true,
    archived_channels: true,
    empty_topic_name: true,
  }),
  queue_lifespan_secs: 24 * 3600,
};

export const registerRequest = (account: Account): Buffer => apiRequest(account, "POST", "/register", fields);

export interface Queue {
  id: string;
  lastEventId: number;
  /** The newest report of presence that the state contains; -1: none. */
  presenceUpdateId: number;
}

/** The queue in the response to a registration. */
export function readQueue({ status, text }: Pick<Answer, "status" | "text">): Queue | undefined {
  const id = /"queue_id":"([^"]+)"/.exec(text)?.[1];
  const lastEventId = /"last_event_id":(-?\d+)/.exec(text)?.[1];
  const presenceUpdateId = /"presence_last_update_id":(-?\d+)/.exec(text)?.[1];
  return status === 200 && id !== undefined && lastEventId !== undefined
    ? { id, lastEventId: Number(lastEventId), presenceUpdateId: Number(presenceUpdateId ?? -1) }
    : undefined;
}
