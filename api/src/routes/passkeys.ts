/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../passkeys.ts";
import type { Route } from "../route.ts";

export const addPasskey: Route<typeof declared.addPasskey> = {
  method: "POST",
  path: "/users/me/passkeys",
  texts: ["name", "state"],
};
export const getPasskeyChallenge: Route<typeof declared.getPasskeyChallenge> = {
  method: "GET",
  path: "/users/me/passkeys/challenge",
  texts: [],
};
export const removePasskey: Route<typeof declared.removePasskey> = {
  method: "DELETE",
  path: "/users/me/passkeys/{passkey_id}",
  texts: ["code"],
};
export const startPasskey: Route<typeof declared.startPasskey> = {
  method: "POST",
  path: "/users/me/passkeys/options",
  texts: ["password", "second_factor_code"],
};
export const updatePasskey: Route<typeof declared.updatePasskey> = {
  method: "PATCH",
  path: "/users/me/passkeys/{passkey_id}",
  texts: ["name"],
};
