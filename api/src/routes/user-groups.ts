/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../user-groups.ts";
import type { Route } from "../route.ts";

export const createUserGroup: Route<typeof declared.createUserGroup> = {
  method: "POST",
  path: "/user_groups/create",
  texts: ["name", "description"],
};
export const deactivateUserGroup: Route<typeof declared.deactivateUserGroup> = {
  method: "POST",
  path: "/user_groups/{user_group_id}/deactivate",
  texts: [],
};
export const getIsUserGroupMember: Route<typeof declared.getIsUserGroupMember> = {
  method: "GET",
  path: "/user_groups/{user_group_id}/members/{user_id}",
  texts: [],
};
export const getUserGroupMembers: Route<typeof declared.getUserGroupMembers> = {
  method: "GET",
  path: "/user_groups/{user_group_id}/members",
  texts: [],
};
export const getUserGroupSubgroups: Route<typeof declared.getUserGroupSubgroups> = {
  method: "GET",
  path: "/user_groups/{user_group_id}/subgroups",
  texts: [],
};
export const getUserGroups: Route<typeof declared.getUserGroups> = { method: "GET", path: "/user_groups", texts: [] };
export const updateUserGroup: Route<typeof declared.updateUserGroup> = {
  method: "PATCH",
  path: "/user_groups/{user_group_id}",
  texts: ["name", "description", "managed_by"],
};
export const updateUserGroupMembers: Route<typeof declared.updateUserGroupMembers> = {
  method: "POST",
  path: "/user_groups/{user_group_id}/members",
  texts: [],
};
export const updateUserGroupSubgroups: Route<typeof declared.updateUserGroupSubgroups> = {
  method: "POST",
  path: "/user_groups/{user_group_id}/subgroups",
  texts: [],
};
