/** Describes settings of the organization. Their texts are named after them, so that a setting without a text is a type error. */
import "../../text/chunks/organization.ts";
import "../../text/chunks/organization-lists.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import type { updateRealm } from "@skein/api/realm-settings.ts";
import type { TextKey } from "../../text/t.ts";
import type { Control, Setting } from "../setting.ts";

type Parameter = keyof ArgumentsOf<typeof updateRealm>;

/** The parameters for which there is a text of this form. */
type WithText<Suffix extends string> = {
  [Name in Parameter]: `organization.${Name}${Suffix}` extends TextKey ? Name : never;
}[Parameter];

export type OrganizationSetting = WithText<"">;
/** Settings whose meaning needs more than the label. */
type Explained = WithText<".hint">;

type More = Partial<Pick<Setting, "changedBy" | "isOffered" | "toRequest" | "confirm">>;

export const setting = (name: OrganizationSetting, control: Control, more: More = {}): Setting => ({
  scope: "organization",
  name,
  label: `organization.${name}`,
  control,
  changedBy: "administrators",
  ...more,
});

/** With a text below it. */
export const explained = (name: Explained, control: Control, more?: More): Setting => ({
  ...setting(name, control, more),
  hint: `organization.${name}.hint`,
});

export const onOff: Control = { kind: "switch" };
export const permission: Control = { kind: "permission" };

/** For what only owners may change. */
export const byOwners: More = { changedBy: "owners" };
