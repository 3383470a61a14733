import "../../text/chunks/controls.ts";
import "../../text/chunks/organization.ts";
import { isGuest } from "../../store/roles.ts";
import type { Choice, Section } from "../setting.ts";
import { byOwners, explained, setting } from "./describe.ts";

/** From the fewest people to the most. */
const required: readonly Choice[] = [
  { value: "nobody", label: "organization.secondFactor.nobody" },
  { value: "owners", label: "organization.secondFactor.owners" },
  { value: "administrators", label: "organization.secondFactor.administrators" },
  { value: "moderators", label: "organization.secondFactor.moderators" },
  { value: "members", label: "organization.secondFactor.members" },
  { value: "everyone", label: "organization.secondFactor.everyone" },
];
const orderOf = (value: unknown): number => required.findIndex((choice) => choice.value === value);

export const authenticationSection: Section = {
  id: "authentication",
  label: "organization.authentication",
  hint: "organization.authentication.hint",
  icon: "shield",
  isShown: () => !isGuest(),
  groups: [
    { settings: [setting("authentication_methods", { kind: "own" }, byOwners)] },
    {
      label: "organization.authentication.secondFactor",
      settings: [
        explained(
          "second_factor_required_for",
          { kind: "choice", choices: required },
          {
            ...byOwners,
            // Asking fewer people signs nobody out.
            confirm: (value, old) =>
              orderOf(value) > orderOf(old)
                ? {
                    title: "organization.secondFactor.title",
                    text: "organization.secondFactor.text",
                    action: "organization.secondFactor.action",
                  }
                : undefined,
          },
        ),
      ],
    },
    {
      label: "organization.authentication.keys",
      settings: [explained("api_key_max_days", { kind: "number", min: 0, max: 10_000, unit: "setting.days" })],
    },
  ],
};
