/** Custom profile fields: additional fields that an organization adds to its users' profiles. */
import { z } from "zod";
import { endpoint, fewValues, json, list } from "./endpoint.ts";

export const maxFieldNameLength = 40;
export const maxFieldHintLength = 80;
export const maxShortValueLength = 50;
export const maxLongValueLength = 500;
export const maxFieldsInSummary = 2;

/** The kinds of fields, by their names in the registration response. */
export const fieldTypes = {
  SHORT_TEXT: { id: 1, name: "Short text" },
  LONG_TEXT: { id: 2, name: "Long text" },
  SELECT: { id: 3, name: "List of options" },
  DATE: { id: 4, name: "Date" },
  URL: { id: 5, name: "Link" },
  USER: { id: 6, name: "People" },
  EXTERNAL_ACCOUNT: { id: 7, name: "External account" },
  PRONOUNS: { id: 8, name: "Pronouns" },
} as const;

const fieldType = z.literal([1, 2, 3, 4, 5, 6, 7, 8]);
const fieldTypeMeaning =
  "1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 people, 7 external account, 8 pronouns.";
export type FieldType = z.output<typeof fieldType>;

export const profileField = z
  .strictObject({
    id: z.int(),
    type: fieldType.describe(fieldTypeMeaning),
    order: z.int().describe("Fields are sorted by this number, ascending."),
    name: z.string(),
    hint: z.string().describe("What helps people to fill it in."),
    field_data: z.string().describe("JSON text for lists of options and external accounts; otherwise empty."),
    display_in_profile_summary: z
      .boolean()
      .optional()
      .describe("Whether it is shown in the profile summary; absent if false."),
    use_for_user_matching: z
      .boolean()
      .optional()
      .describe("Whether clients find users by its values when somebody looks for them; absent if false."),
    required: z.boolean().describe("Whether people are asked to fill it in."),
    editable_by_user: z.boolean().describe("Whether people may fill it in themselves; administrators always may."),
  })
  .meta({ id: "CustomProfileField" });
export type ProfileField = z.output<typeof profileField>;

const fields = z.array(profileField).describe("In their order.");

const area = "Server and organization";
const fieldId = json(z.int()).describe("The field.");
const fieldData = json(z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])), fewValues)
  .optional()
  .describe(
    "For a list of options: each option by a key of its own, with text and order. For an external account: subtype, " +
      "and for the subtype custom also url_pattern.",
  );

/** The properties of a field that can be set at its creation and changed later. */
const settings = {
  name: z.string().optional().describe("Its name. External accounts of a known kind already have one."),
  hint: z.string().optional().describe("What helps people to fill it in."),
  field_data: fieldData,
  display_in_profile_summary: json(z.boolean())
    .optional()
    .describe(
      "Whether it is shown in the profile summary. At most 2 fields can be; long texts and lists of users cannot.",
    ),
  use_for_user_matching: json(z.boolean())
    .optional()
    .describe("Whether clients find users by its values. Only short texts and external accounts can be used for this."),
  required: json(z.boolean()).optional().describe("Whether people are asked to fill it in."),
  editable_by_user: json(z.boolean())
    .optional()
    .describe("Whether people may fill it in themselves; administrators always may."),
};

export const getProfileFields = endpoint({
  operation: "get-custom-profile-fields",
  method: "GET",
  path: "/realm/profile_fields",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get all custom profile fields",
  description: "The custom profile fields of this organization.",
  params: {},
  returns: { custom_fields: fields },
});

export const createProfileField = endpoint({
  operation: "create-custom-profile-field",
  method: "POST",
  path: "/realm/profile_fields",
  auth: "user",
  scope: "admin",
  area,
  summary: "Create a custom profile field",
  description: "Add a field to all users' profiles. It comes last. For administrators.",
  params: {
    field_type: json(fieldType).describe(fieldTypeMeaning),
    ...settings,
  },
  returns: { id: z.int().describe("The new field.") },
});

export const reorderProfileFields = endpoint({
  operation: "reorder-custom-profile-fields",
  method: "PATCH",
  path: "/realm/profile_fields",
  auth: "user",
  scope: "admin",
  area,
  summary: "Reorder custom profile fields",
  description: "Put the fields into another order. For administrators.",
  params: { order: json(list(z.int())).describe("The IDs of all fields, in their new order.") },
  returns: {},
});

export const updateProfileField = endpoint({
  operation: "update-custom-profile-field",
  method: "PATCH",
  path: "/realm/profile_fields/{field_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Update a custom profile field",
  description:
    "Change a field; what is left out stays. Options that are no longer there are taken out of people's profiles. For " +
    "administrators.",
  params: { field_id: fieldId, ...settings },
  returns: {},
});

export const removeProfileField = endpoint({
  operation: "remove-custom-profile-field",
  method: "DELETE",
  path: "/realm/profile_fields/{field_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove a custom profile field",
  description: "Remove a field together with what people have filled in. For administrators.",
  params: { field_id: fieldId },
  returns: {},
});

/** A value to store. An empty one is removed from the profile. */
export const profileValue = z.strictObject({
  id: z.int().describe("The field."),
  value: z
    .union([z.string(), list(z.int())])
    .nullable()
    .describe("The value; for a field of people their IDs, as a list or as the JSON text of one."),
});
export type ProfileValue = z.output<typeof profileValue>;

export const updateOwnProfile = endpoint({
  operation: "update-own-profile-data",
  method: "PATCH",
  path: "/users/me/profile_data",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Update own profile data",
  description: "Set custom profile fields of the caller. Other fields stay unchanged.",
  params: { data: json(list(profileValue)).describe("What to fill in.") },
  returns: {},
});

export const removeOwnProfile = endpoint({
  operation: "remove-own-profile-data",
  method: "DELETE",
  path: "/users/me/profile_data",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Remove own profile data",
  description: "Clear custom profile fields of the caller.",
  params: { data: json(list(z.int())).describe("The fields to empty.") },
  returns: {},
});

/** The fields of the registration response under `custom_profile_fields`. */
export const profileFieldState = {
  custom_profile_fields: fields,
  custom_profile_field_types: z
    .record(z.string(), z.strictObject({ id: z.int(), name: z.string() }))
    .describe("The kinds of fields there can be, by a word for each."),
};

export const profileFieldsEvent = z.strictObject({
  type: z.literal("custom_profile_fields"),
  fields,
});

export const endpoints = [
  updateOwnProfile,
  removeOwnProfile,
  getProfileFields,
  createProfileField,
  reorderProfileFields,
  updateProfileField,
  removeProfileField,
];
