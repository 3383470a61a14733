/** Changes settings: stores what differs and emits an event for each change to the user's own clients. */
import { languageName } from "@skein/api/language-codes.ts";
import { settingNames, userSettings, type SettingName, type UserSettings } from "@skein/api/settings.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { emitConsent } from "./export-consent.ts";
import { emitAway } from "../status/away.ts";
import { apiEmail, type Addressed } from "../users/email.ts";
import { settingsOf, toStored } from "./state.ts";

/** The new values; undefined settings stay unchanged. */
export type ChosenSettings = { [K in SettingName]?: UserSettings[K] | undefined };

/** The settings that change. */
export function differences(before: UserSettings, chosen: ChosenSettings): Partial<UserSettings> {
  const names = settingNames.filter((name) => chosen[name] !== undefined && chosen[name] !== before[name]);
  return Object.fromEntries(names.map((name) => [name, chosen[name]]));
}

/** `user` is the current account: see lockOwnAccount(). changeEmailVisibility() handles the excluded setting. */
export async function updateSettings(
  tx: Tx,
  user: User,
  host: string,
  chosen: Omit<ChosenSettings, "email_address_visibility">,
): Promise<void> {
  const before = settingsOf(user);
  const changes = differences(before, chosen);
  if (Object.keys(changes).length > 0) {
    const { email_address_visibility: _, ...settings } = { ...before, ...changes };
    await tx
      .updateTable("users")
      .set({
        settings: JSON.stringify(toStored(settings)),
        chosen_settings: [...new Set([...user.chosen_settings, ...Object.keys(changes)])],
      })
      .where("id", "=", user.id)
      .execute();
  }
  // Clients drop their drafts by themselves.
  if (chosen.enable_drafts_synchronization === false)
    await tx.deleteFrom("drafts").where("realm_id", "=", user.realm_id).where("user_id", "=", user.id).execute();
  for (const [name, value] of Object.entries(changes)) emitSetting(tx, user, host, name, value);
  if (changes.allow_private_data_export !== undefined) emitConsent(tx, user, changes.allow_private_data_export);
  if (changes.presence_enabled !== undefined) await emitAway(tx, user, host, !changes.presence_enabled);
}

/** `host` is the organization's: see realmHost(). Emits the current and the older format: see event-shapes.ts. */
export function emitSetting(
  tx: Tx,
  user: Addressed & Pick<User, "realm_id">,
  host: string,
  name: string,
  value: boolean | number | string,
): void {
  const named = name === "default_language" ? { language_name: languageName(value as UserSettings[typeof name]) } : {}; // the value of that setting
  const audience = toUser(user.id);
  emit(tx, user.realm_id, audience, { type: "user_settings", op: "update", property: name, value, ...named });
  const older = { user: apiEmail(user, host), setting: value };
  switch (groupOf(name)) {
    case "display-legacy":
      emit(tx, user.realm_id, audience, { type: "update_display_settings", setting_name: name, ...older, ...named });
      break;
    case "notification-legacy":
      emit(tx, user.realm_id, audience, { type: "update_global_notifications", notification_name: name, ...older });
      break;
    case "general":
    case "notification":
  }
}

/** The time zone belongs to the older display settings, though it is stored separately. */
const groupOf = (name: string) => (name === "timezone" ? "display-legacy" : userSettings[name as SettingName].group); // the only other names there are
