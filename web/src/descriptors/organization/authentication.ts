import "../../text/chunks/controls.ts";
import "../../text/chunks/organization.ts";
import { isGuest } from "../../store/roles.ts";
import type { Section } from "../setting.ts";
import { byOwners, explained, setting } from "./describe.ts";

export const authenticationSection: Section = {
  id: "authentication",
  label: "organization.authentication",
  hint: "organization.authentication.hint",
  icon: "shield",
  isShown: () => !isGuest(),
  groups: [
    { settings: [setting("authentication_methods", { kind: "own" }, byOwners)] },
    {
      label: "organization.authentication.keys",
      settings: [explained("api_key_max_days", { kind: "number", min: 0, max: 10_000, unit: "setting.days" })],
    },
  ],
};
