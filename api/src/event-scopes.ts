/** The scope that a key needs for the events of a type, and for the part of the registration response of this name. */
import type { EventType } from "./events.ts";
import { requestableTypes, type RegistrationPart } from "./registration.ts";
import type { Scope } from "./scopes.ts";

/** null: every key that may have a queue gets them. */
const scopeOfType: Record<EventType | RegistrationPart, Scope | null> = {
  heartbeat: null,
  restart: null,
  web_reload_client: null,
  realm: null,
  realm_billing: null,
  realm_emoji: null,
  realm_filters: null,
  realm_linkifiers: null,
  realm_playgrounds: null,
  realm_user_settings_defaults: null,
  giphy: null,
  tenor: null,
  stop_words: null,
  video_calls: null,

  message: "messages:read",
  update_message: "messages:read",
  delete_message: "messages:read",
  update_message_flags: "messages:read",
  reaction: "messages:read",
  submessage: "messages:read",
  typing: "messages:read",
  typing_edit_message: "messages:read",
  recent_private_conversations: "messages:read",
  starred_messages: "messages:read",
  drafts: "messages:read",
  reminders: "messages:read",
  saved_snippets: "messages:read",
  scheduled_messages: "messages:read",

  stream: "channels:read",
  subscription: "channels:read",
  default_streams: "channels:read",
  default_stream_groups: "channels:read",
  channel_folder: "channels:read",
  channel_folders: "channels:read",
  user_topic: "channels:read",
  muted_topics: "channels:read",

  realm_user: "users:read",
  realm_domains: "users:read",
  custom_profile_fields: "users:read",
  user_group: "users:read",
  realm_user_groups: "users:read",
  user_status: "users:read",
  presence: "users:read",

  attachment: "files",

  api_key: "account",
  navigation_view: "account",
  navigation_views: "account",
  alert_words: "account",
  muted_users: "account",
  onboarding_steps: "account",
  // It contains the keys of one's bots.
  realm_bot: "account",
  realm_embedded_bots: "account",
  realm_incoming_webhook_bots: "account",
  update_display_settings: "account",
  update_global_notifications: "account",
  user_settings: "account",

  invites_changed: "users:manage",
  audit_log: "admin",
  realm_export: "admin",
  realm_export_consent: "admin",
  realm_import: "admin",
};

const scopes = new Map<string, Scope | null>(Object.entries(scopeOfType));

/** The scopes for these types of events; of all types if undefined. */
export function scopesOfTypes(types: Iterable<string> | undefined): Scope[] {
  const needed = new Set<Scope>();
  for (const type of types ?? requestableTypes) {
    const scope = scopes.get(type);
    if (scope) needed.add(scope);
  }
  return [...needed];
}

/** Those of these types, or of all types, whose scopes are granted. */
export const typesWithin = (granted: ReadonlySet<string>, types: Iterable<string> = requestableTypes): string[] =>
  [...types].filter((type) => scopesOfTypes([type]).every((scope) => granted.has(scope)));
