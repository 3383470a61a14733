import type { EventShape } from "../../events/queue.ts";

/** News of single settings in the form they had once, for clients that do not know of user_settings. */
const olderForm: EventShape = {
  variant: (_event, { options }) => (options.user_settings_object ? "none" : "all"),
  shape: (event, { options }) => (options.user_settings_object ? undefined : event),
};

export const settingEventShapes: [string, EventShape][] = [
  ["update_display_settings", olderForm],
  ["update_global_notifications", olderForm],
];
