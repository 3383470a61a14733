/** Kinds of profile fields, and the extra data that some of them have, which is JSON text. */
import "../text/chunks/organization-lists.ts";
import type { FieldType } from "@skein/api/profile-fields.ts";
import type { TextKey } from "../text/t.ts";

export const fieldType = {
  shortText: 1,
  longText: 2,
  select: 3,
  date: 4,
  link: 5,
  people: 6,
  account: 7,
  pronouns: 8,
} as const satisfies Record<string, FieldType>;

export const fieldTypeNames: Readonly<Record<FieldType, TextKey>> = {
  1: "organization.fields.type.shortText",
  2: "organization.fields.type.longText",
  3: "organization.fields.type.select",
  4: "organization.fields.type.date",
  5: "organization.fields.type.link",
  6: "organization.fields.type.people",
  7: "organization.fields.type.account",
  8: "organization.fields.type.pronouns",
};

/** These take too much room for a summary. */
export const fitsSummary = (type: FieldType): boolean => type !== fieldType.longText && type !== fieldType.people;
export const maxInSummary = 2;

export const customAccount = "custom";

export interface Option {
  /** What profiles store; never reused for another text. */
  key: string;
  text: string;
}

export function optionsOf(fieldData: string): Option[] {
  if (fieldData === "") return [];
  const options = JSON.parse(fieldData) as Record<string, { text: string; order: string }>; // written by the server
  return Object.entries(options)
    .toSorted(([, a], [, b]) => Number(a.order) - Number(b.order))
    .map(([key, { text }]) => ({ key, text }));
}

export const toOptionData = (options: readonly Option[]): Record<string, Record<string, string>> =>
  Object.fromEntries(options.map(({ key, text }, index) => [key, { text: text.trim(), order: String(index + 1) }]));

/** A new option, with a key that none of these has. */
export const newOption = (taken: readonly Option[]): Option => ({
  key: String(Math.max(-1, ...taken.map(({ key }) => Number(key)).filter((key) => !Number.isNaN(key))) + 1),
  text: "",
});

export const accountOf = (fieldData: string): { subtype: string; url_pattern?: string } =>
  fieldData === "" ? { subtype: customAccount } : (JSON.parse(fieldData) as { subtype: string; url_pattern?: string }); // likewise
