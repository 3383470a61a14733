/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../profile-fields.ts";
import type { Route } from "../route.ts";

export const createProfileField: Route<typeof declared.createProfileField> = {
  method: "POST",
  path: "/realm/profile_fields",
  texts: ["name", "hint"],
};
export const getProfileFields: Route<typeof declared.getProfileFields> = {
  method: "GET",
  path: "/realm/profile_fields",
  texts: [],
};
export const removeOwnProfile: Route<typeof declared.removeOwnProfile> = {
  method: "DELETE",
  path: "/users/me/profile_data",
  texts: [],
};
export const removeProfileField: Route<typeof declared.removeProfileField> = {
  method: "DELETE",
  path: "/realm/profile_fields/{field_id}",
  texts: [],
};
export const reorderProfileFields: Route<typeof declared.reorderProfileFields> = {
  method: "PATCH",
  path: "/realm/profile_fields",
  texts: [],
};
export const updateOwnProfile: Route<typeof declared.updateOwnProfile> = {
  method: "PATCH",
  path: "/users/me/profile_data",
  texts: [],
};
export const updateProfileField: Route<typeof declared.updateProfileField> = {
  method: "PATCH",
  path: "/realm/profile_fields/{field_id}",
  texts: ["name", "hint"],
};
