/**
 * The request made before the client is loaded. The page loads this file by itself, next to the client, which is a hundred
 * times its size: by the time the client runs, its first response is on its way. **Invariant:** it imports nothing.
 */

/** Proves to the server that one of its own pages makes the request. */
export const csrfToken = (): string => /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";

export const registration = {
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: false,
  slim_presence: true,
  client_capabilities: {
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
    simplified_presence_events: true,
  },
  queue_lifespan_secs: 24 * 3600,
};

function request(): Promise<Response> {
  const body = new URLSearchParams(Object.entries(registration).map(([name, value]) => [name, JSON.stringify(value)]));
  const response = fetch("/json/register", { method: "POST", body, headers: { "x-csrftoken": csrfToken() } });
  response.catch(() => undefined); // the caller that takes it handles the error
  return response;
}

let pending = import.meta.env.PROD ? request() : undefined;

/** Returns the response to the early registration, once. */
export function takeRegistration(): Promise<Response> | undefined {
  const response = pending;
  pending = undefined;
  return response;
}
