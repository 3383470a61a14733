/** What new users start with: the personal settings for which an organization can choose a default. */
import "../../text/chunks/organization.ts";
import { isAdministrator } from "../../store/roles.ts";
import { part } from "../../store/state.ts";
import { personalSections } from "../personal.ts";
import { settingsIn, type Section, type Setting, type SettingGroup } from "../setting.ts";

/** These come from elsewhere, or are for each person to choose; the server accepts no default. */
const personalOnly: ReadonlySet<string> = new Set([
  "default_language",
  "timezone",
  "enable_login_emails",
  "enable_marketing_emails",
  "allow_private_data_export",
]);

const hasDefault = ({ scope, name, control }: Setting): boolean =>
  scope === "personal" && !personalOnly.has(name) && control.kind !== "own";

const toDefault = ({ scope: _, isOffered, ...rest }: Setting): Setting => ({
  ...rest,
  scope: "defaults",
  changedBy: "administrators",
  isOffered: () => isOffered?.() !== false && rest.name in (part("realm_user_settings_defaults").value ?? {}),
});

/** Below the headings of the personal settings, and those without one below their section's name. */
export function defaultsOf(sections: readonly Section[]): SettingGroup[] {
  return sections
    .filter((section) => settingsIn(section).some(hasDefault))
    .flatMap(({ label, groups }) =>
      groups.map((group) => ({ label, ...group, settings: group.settings.filter(hasDefault).map(toDefault) })),
    )
    .filter(({ settings }) => settings.length > 0);
}

export const defaultsSection: Section = {
  id: "defaults",
  label: "organization.defaults",
  hint: "organization.defaults.hint",
  icon: "settings",
  groups: defaultsOf(personalSections),
  isShown: isAdministrator,
};
