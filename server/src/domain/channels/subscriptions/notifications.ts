/**
 * A subscription's own notification settings. Null means the user's setting for all channels applies. Clients without
 * support for null receive that setting's value instead.
 */
import { userSettings } from "@skein/api/settings.ts";

const settingOf = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const;

export type NotificationName = keyof typeof settingOf;

// Object.keys knows only strings; these are the keys of the table above.
export const notificationNames = Object.keys(settingOf) as NotificationName[];

export const isNotificationName = (name: string): name is NotificationName => name in settingOf;

export type NotificationDefaults = Record<NotificationName, boolean>;

/** The values that replace null. `settings` holds only what differs from the built-in defaults. */
export function notificationDefaults(settings: unknown): NotificationDefaults {
  const own = settings as Partial<Record<string, boolean>>; // what the column holds, by the settings' declaration
  const defaults = notificationNames.map((name) => [
    name,
    own[settingOf[name]] ?? userSettings[settingOf[name]].default,
  ]);
  return Object.fromEntries(defaults) as NotificationDefaults; // one entry for each name
}

export function withoutNulls<T extends Record<NotificationName, boolean | null>>(
  subscription: T,
  defaults: NotificationDefaults,
): T {
  const filled = { ...subscription };
  for (const name of notificationNames) filled[name] ??= defaults[name] as T[NotificationName]; // null or boolean alike
  return filled;
}
