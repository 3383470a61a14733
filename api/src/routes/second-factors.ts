/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../second-factors.ts";
import type { Route } from "../route.ts";

export const confirmTotp: Route<typeof declared.confirmTotp> = {
  method: "POST",
  path: "/users/me/totp/confirm",
  texts: ["code"],
};
export const getSecondFactors: Route<typeof declared.getSecondFactors> = {
  method: "GET",
  path: "/users/me/second_factors",
  texts: [],
};
export const getUserSecondFactors: Route<typeof declared.getUserSecondFactors> = {
  method: "GET",
  path: "/users/{user_id}/second_factors",
  texts: [],
};
export const regenerateRecoveryCodes: Route<typeof declared.regenerateRecoveryCodes> = {
  method: "POST",
  path: "/users/me/recovery_codes",
  texts: ["code"],
};
export const removeTotp: Route<typeof declared.removeTotp> = {
  method: "DELETE",
  path: "/users/me/totp",
  texts: ["code"],
};
export const resetSecondFactors: Route<typeof declared.resetSecondFactors> = {
  method: "DELETE",
  path: "/users/{user_id}/second_factors",
  texts: [],
};
export const startTotp: Route<typeof declared.startTotp> = {
  method: "POST",
  path: "/users/me/totp",
  texts: ["password", "second_factor_code"],
};
