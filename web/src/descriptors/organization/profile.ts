import "../../text/chunks/organization.ts";
import "../../text/chunks/organization-lists.ts";
import { languageOptions } from "../../text/languages.ts";
import { isOwner } from "../../store/roles.ts";
import { part } from "../../store/state.ts";
import type { Section, Setting } from "../setting.ts";
import { explained, onOff, setting } from "./describe.ts";

/** Uploaded, not set to a value. */
const picture = (name: "icon_url" | "logo_url" | "night_logo_url"): Setting => ({
  scope: "organization",
  name,
  label: `organization.${name}`,
  hint: `organization.${name}.hint`,
  control: { kind: "own" },
  changedBy: "administrators",
});

export const profileSection: Section = {
  id: "profile",
  label: "organization.profile",
  icon: "globe",
  groups: [
    {
      settings: [
        setting("name", { kind: "text", maxLength: 40, isRequired: true }),
        explained("description", { kind: "text", maxLength: 1000, rows: 4 }),
        setting("org_type", {
          kind: "choice",
          choices: [
            { value: 0, label: "organization.type.unspecified" },
            { value: 10, label: "organization.type.business" },
            { value: 20, label: "organization.type.openSource" },
            { value: 30, label: "organization.type.educationNonprofit" },
            { value: 35, label: "organization.type.education" },
            { value: 40, label: "organization.type.research" },
            { value: 50, label: "organization.type.event" },
            { value: 60, label: "organization.type.nonprofit" },
            { value: 70, label: "organization.type.government" },
            { value: 80, label: "organization.type.politicalGroup" },
            { value: 90, label: "organization.type.community" },
            { value: 100, label: "organization.type.personal" },
            { value: 1000, label: "organization.type.other" },
          ],
        }),
        explained("default_language", { kind: "list", options: languageOptions }),
        explained("enable_spectator_access", onOff, {
          isOffered: () => part("server_web_public_streams_enabled").value === true,
        }),
      ],
    },
    { settings: [picture("icon_url"), picture("logo_url"), picture("night_logo_url")] },
  ],
  items: [{ id: "deactivate", label: "organization.deactivate", isOffered: isOwner }],
};
