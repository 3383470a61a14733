/**
 * What is asked for before the client is there. The page loads this file by itself, beside the client, which is a hundred
 * times its size: by the time that one runs, the answer it begins with is on its way. **Invariant:** it imports nothing.
 */

/** What proves to the server that a page of its own asks. */
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
  },
  queue_lifespan_secs: 24 * 3600,
};

function ask(): Promise<Response> {
  const body = new URLSearchParams(Object.entries(registration).map(([name, value]) => [name, JSON.stringify(value)]));
  const answer = fetch("/json/register", { method: "POST", body, headers: { "x-csrftoken": csrfToken() } });
  answer.catch(() => undefined); // whoever takes it hears of it
  return answer;
}

let asked = import.meta.env.PROD ? ask() : undefined;

/** The answer to the registration that was made ahead; once. */
export function takeRegistration(): Promise<Response> | undefined {
  const answer = asked;
  asked = undefined;
  return answer;
}
