import type { z } from "zod";
import type { settingEvents } from "../settings.ts";
import { change, type FollowedState } from "./followed-state.ts";

type SettingEvent = z.output<(typeof settingEvents)[number]>;

/** Updates the setting in both possible places: the object, and for older clients the top level of the response. */
export function applySettingEvent(state: FollowedState, event: SettingEvent): FollowedState {
  switch (event.type) {
    case "user_settings":
      return change(state, "user_settings", (settings) => ({ ...settings, [event.property]: event.value }));
    case "update_display_settings":
      return flat(state, event.setting_name, event.setting);
    case "update_global_notifications":
      return flat(state, event.notification_name, event.setting);
    case "realm_user_settings_defaults":
      return change(state, "realm_user_settings_defaults", (settings) => ({
        ...settings,
        [event.property]: event.value,
      }));
  }
}

const flat = (state: FollowedState, name: string, value: unknown): FollowedState =>
  name in state ? { ...state, [name]: value } : state;
