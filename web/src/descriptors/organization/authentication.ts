import "../../text/chunks/organization.ts";
import { isGuest } from "../../store/roles.ts";
import type { Section } from "../setting.ts";
import { byOwners, setting } from "./describe.ts";

export const authenticationSection: Section = {
  id: "authentication",
  label: "organization.authentication",
  hint: "organization.authentication.hint",
  icon: "shield",
  isShown: () => !isGuest(),
  groups: [{ settings: [setting("authentication_methods", { kind: "own" }, byOwners)] }],
};
