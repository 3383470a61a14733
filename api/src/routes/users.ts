/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../users.ts";
import type { Route } from "../route.ts";

export const createUser: Route<typeof declared.createUser> = {
  method: "POST",
  path: "/users",
  texts: ["email", "password", "full_name"],
};
export const deactivateOwnUser: Route<typeof declared.deactivateOwnUser> = {
  method: "DELETE",
  path: "/users/me",
  texts: [],
};
export const deactivateUser: Route<typeof declared.deactivateUser> = {
  method: "DELETE",
  path: "/users/{user_id}",
  texts: ["deactivation_notification_comment"],
};
export const getOwnUser: Route<typeof declared.getOwnUser> = { method: "GET", path: "/users/me", texts: [] };
export const getUser: Route<typeof declared.getUser> = { method: "GET", path: "/users/{user_id}", texts: [] };
export const getUserByEmail: Route<typeof declared.getUserByEmail> = {
  method: "GET",
  path: "/users/{email}",
  texts: ["email"],
};
export const getUsers: Route<typeof declared.getUsers> = { method: "GET", path: "/users", texts: [] };
export const reactivateUser: Route<typeof declared.reactivateUser> = {
  method: "POST",
  path: "/users/{user_id}/reactivate",
  texts: [],
};
export const updateUser: Route<typeof declared.updateUser> = {
  method: "PATCH",
  path: "/users/{user_id}",
  texts: ["full_name", "new_email"],
};
export const updateUserByEmail: Route<typeof declared.updateUserByEmail> = {
  method: "PATCH",
  path: "/users/{email}",
  texts: ["email", "full_name", "new_email"],
};
