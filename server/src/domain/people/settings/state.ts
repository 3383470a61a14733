/** A user's settings in the registration response. Only values that differ from the built-in defaults are stored. */
import type { RegistrationState } from "@skein/api/registration.ts";
import {
  defaultUserSettings,
  emojisets,
  notificationSounds,
  settingNamesIn,
  type SettingGroup,
  type SettingName,
  type UserSettings,
} from "@skein/api/settings.ts";
import type { StatePart } from "../../../events/state-part.ts";
import type { Realm, User } from "../../../identity/account.ts";

/** The user's settings, including defaults. */
export function settingsOf(user: Pick<User, "settings" | "email_address_visibility">): UserSettings {
  return {
    ...withDefaults(user.settings),
    // Stored in its own column, because queries for other users need it; its values are those of the setting.
    email_address_visibility: user.email_address_visibility as UserSettings["email_address_visibility"],
  };
}

/** A single setting. */
export const settingOf = <K extends keyof UserSettings>(user: Pick<User, "settings">, name: K): UserSettings[K] =>
  (user.settings as Partial<UserSettings>)[name] ?? defaultUserSettings[name]; // as below

/** The default settings for new users. */
export const defaultSettingsOf = (realm: Pick<Realm, "user_settings_defaults">): UserSettings =>
  withDefaults(realm.user_settings_defaults);

/**
 * The columns of a new account. The organization's defaults are copied, so later changes of the defaults do not affect
 * existing users.
 */
export function settingsForNewUser(realm: Pick<Realm, "user_settings_defaults" | "default_language">) {
  const { email_address_visibility, ...settings } = defaultSettingsOf(realm);
  const default_language = realm.default_language as UserSettings["default_language"]; // its values are those of the setting
  return { email_address_visibility, settings: toStored({ ...settings, default_language }) };
}

/** Stored values were validated by the settings' schemas when they were written. */
const withDefaults = (stored: unknown): UserSettings => ({
  ...defaultUserSettings,
  ...(stored as Partial<UserSettings>),
});

/** The values that differ from the built-in defaults. */
export const toStored = (settings: Partial<UserSettings>): Partial<UserSettings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => defaultUserSettings[name as SettingName] !== value), // its names
  );

const emojisetNames: Record<(typeof emojisets)[number], string> = {
  google: "Google",
  "google-blob": "Google blobs",
  twitter: "Twitter",
  text: "Plain text",
};
const emojisetChoices = () => emojisets.map((key) => ({ key, text: emojisetNames[key] }));
const choices = () => ({
  emojiset_choices: emojisetChoices(),
  available_notification_sounds: [...notificationSounds],
});

const settingsPart: StatePart = {
  types: ["user_settings"],
  load: async (_db, { user }) => ({
    user_settings: { ...settingsOf(user), timezone: user.timezone, ...choices() },
  }),
};

const defaultsPart: StatePart = {
  types: ["realm_user_settings_defaults"],
  sharedBy: () => "",
  load: async (_db, { user }) => ({
    realm_user_settings_defaults: { ...defaultSettingsOf(user.realm), ...choices() },
  }),
};

/** Clients without support for user_settings get the settings as top-level fields of the response. */
const displayPart: StatePart = {
  types: ["update_display_settings"],
  load: async (_db, { user, options }) =>
    options.user_settings_object
      ? {}
      : { ...fieldsIn("display-legacy", user), timezone: user.timezone, emojiset_choices: emojisetChoices() },
};

const notificationPart: StatePart = {
  types: ["update_global_notifications"],
  load: async (_db, { user, options }) =>
    options.user_settings_object
      ? {}
      : {
          ...fieldsIn("notification-legacy", user),
          available_notification_sounds: [...notificationSounds],
        },
};

function fieldsIn(group: SettingGroup, user: User): RegistrationState {
  const settings = settingsOf(user);
  return Object.fromEntries(settingNamesIn(group).map((name) => [name, settings[name]]));
}

export const settingStates: StatePart[] = [settingsPart, defaultsPart, displayPart, notificationPart];
