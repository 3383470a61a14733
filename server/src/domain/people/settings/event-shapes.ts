import type { EventShape } from "../../../events/queue.ts";

/** Events about settings in the older format, for clients without support for user_settings. */
const legacyFormat: EventShape = {
  variant: (_event, { options }) => (options.user_settings_object ? "none" : "all"),
  shape: (event, { options }) => (options.user_settings_object ? undefined : event),
};

export const settingEventShapes: [string, EventShape][] = [
  ["update_display_settings", legacyFormat],
  ["update_global_notifications", legacyFormat],
];
