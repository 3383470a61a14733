/** Signs in with a passkey alone. */
import type { PasskeyAssertion } from "@skein/api/passkeys.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { recordFailedSignIn, type FailureReason } from "../../organization/audit/sign-ins.ts";
import { countSignIn } from "../auth/count-sign-in.ts";
import { realmDeactivated, userDeactivated, type AuthenticatedAccount } from "../auth/password-login.ts";
import { acceptsPasswords, refuseOtherMethods } from "../auth/sign-in-methods.ts";
import { findPasskey, signingOptions, usePasskey, verifyPasskey } from "./passkeys.ts";
import { relyingParty } from "./relying-party.ts";
import type { FactorRequest } from "./use-code.ts";

const passkeyRefused = () =>
  new ApiError("This passkey was not accepted. Try again", { code: "PASSKEY_INVALID", status: 401 });

/** What a browser needs to sign in with a passkey; undefined if nobody in the organization can. */
export async function offerPasskey(ctx: Context, realm: Realm, origin: string) {
  if (!ctx.secretBox.canSeal || !acceptsPasswords(realm)) return undefined;
  const found = await ctx.db.selectFrom("passkeys").select("id").where("realm_id", "=", realm.id).executeTakeFirst();
  if (!found) return undefined;
  return signingOptions(ctx.secretBox, relyingParty(ctx.config, realm, origin), { signInTo: realm.id });
}

export const authenticateByPasskey = (...given: Parameters<typeof authenticate>): Promise<AuthenticatedAccount> =>
  countSignIn(given[0], "passkey", () => authenticate(...given));

/** Failures of a passkey that is known are recorded. The ids of others are anybody's invention. */
async function authenticate(
  ctx: Context,
  realm: Realm,
  given: { state: string; credential: PasskeyAssertion },
  request: FactorRequest,
): Promise<AuthenticatedAccount> {
  if (realm.deactivated) throw realmDeactivated();
  refuseOtherMethods(realm);
  const passkey = await findPasskey(ctx.db, realm.id, given.credential);
  if (!passkey) throw passkeyRefused();
  const fail = (reason: FailureReason) =>
    recordFailedSignIn(ctx.db, realm, request, { account: passkey.user_id, method: "passkey", reason });
  const rp = relyingParty(ctx.config, realm, request.origin);
  const verified = await verifyPasskey(ctx.secretBox, rp, { signInTo: realm.id }, passkey, given);
  if (!verified || !(await transaction(ctx.db, "use passkey", (tx) => usePasskey(tx, verified)))) {
    await fail("wrong_passkey");
    throw passkeyRefused();
  }
  const { is_active, ...account } = await ctx.db
    .selectFrom("users")
    .select(["id", "realm_id", "delivery_email", "is_active"])
    .where("realm_id", "=", realm.id)
    .where("id", "=", passkey.user_id)
    .executeTakeFirstOrThrow();
  if (!is_active) {
    await fail("deactivated");
    throw userDeactivated();
  }
  return { ...account, method: "passkey" };
}
