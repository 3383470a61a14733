import "../../text/chunks/controls.ts";
import "../../text/chunks/organization.ts";
import { isGuest } from "../../store/roles.ts";
import type { Section } from "../setting.ts";
import { byOwners, explained, onOff, setting } from "./describe.ts";

export const joiningSection: Section = {
  id: "joining",
  label: "organization.joining",
  icon: "user-plus",
  isShown: () => !isGuest(),
  groups: [
    {
      label: "organization.joining.who",
      settings: [
        explained("invite_required", onOff, byOwners),
        explained("emails_restricted_to_domains", onOff, byOwners),
        explained("disallow_disposable_email_addresses", onOff, byOwners),
      ],
    },
    {
      label: "organization.joining.new",
      settings: [
        explained("waiting_period_threshold", { kind: "number", min: 0, max: 100_000, unit: "setting.days" }, byOwners),
        explained("send_welcome_emails", onOff),
        explained("welcome_message_custom_text", { kind: "text", maxLength: 8000, rows: 4 }),
      ],
    },
    {
      label: "organization.joining.names",
      settings: [
        setting("require_unique_names", onOff),
        explained("name_changes_disabled", onOff),
        explained("email_changes_disabled", onOff),
        explained("avatar_changes_disabled", onOff),
      ],
    },
  ],
  items: [{ id: "domains", label: "organization.domains" }],
};
