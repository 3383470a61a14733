/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../settings.ts";
import type { Route } from "../route.ts";

export const updateDefaultSettings: Route<typeof declared.updateDefaultSettings> = {
  method: "PATCH",
  path: "/realm/user_settings_defaults",
  texts: [
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
    "resolved_topic_notice_auto_read_policy",
  ],
};
export const updateDisplaySettings: Route<typeof declared.updateDisplaySettings> = {
  method: "PATCH",
  path: "/settings/display",
  texts: [
    "full_name",
    "email",
    "old_password",
    "new_password",
    "timezone",
    "default_language",
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
    "resolved_topic_notice_auto_read_policy",
  ],
};
export const updateNotificationSettings: Route<typeof declared.updateNotificationSettings> = {
  method: "PATCH",
  path: "/settings/notifications",
  texts: [
    "full_name",
    "email",
    "old_password",
    "new_password",
    "timezone",
    "default_language",
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
    "resolved_topic_notice_auto_read_policy",
  ],
};
export const updateSettings: Route<typeof declared.updateSettings> = {
  method: "PATCH",
  path: "/settings",
  texts: [
    "full_name",
    "email",
    "old_password",
    "new_password",
    "timezone",
    "default_language",
    "web_home_view",
    "emojiset",
    "notification_sound",
    "web_animate_image_previews",
    "resolved_topic_notice_auto_read_policy",
  ],
};
