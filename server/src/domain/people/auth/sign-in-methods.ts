/**
 * Which ways to sign in an organization accepts. It can restrict them to one identity provider: then every other way throws,
 * for browsers, apps and programs alike. Each way to sign in asks here before anything else.
 */
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";

type Restricted = Pick<Realm, "only_identity_provider_id">;

export const acceptsPasswords = (realm: Restricted): boolean => realm.only_identity_provider_id === null;

/** The code and status are the protocol's. */
export function refusePasswords(realm: Restricted): void {
  if (!acceptsPasswords(realm))
    throw new ApiError("Password authentication is disabled in this organization", {
      code: "PASSWORD_AUTH_DISABLED",
      status: 401,
    });
}

/** For ways without a password. The organization's own provider states its id. */
export function refuseOtherMethods(realm: Restricted, providerId?: number): void {
  const only = realm.only_identity_provider_id;
  if (only !== null && only !== providerId)
    throw new ApiError("This organization accepts sign-ins with its identity provider only.", {
      code: "AUTH_METHOD_DISABLED",
      status: 403,
    });
}
