/** Signing in to a mobile app: a URL that the app opens hands it an API key, encrypted so that only this app can read it. */
import type { Context } from "../../../context.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { createDeviceKey } from "../../people/auth/api-keys.ts";
import { noteSignIn } from "../../people/auth/note-sign-in.ts";
import { clearAttempts, type AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { rememberProviderSession } from "../../people/auth/provider-sessions.ts";
import { refuseWithoutFactor } from "../../people/second-factors/requirement.ts";
import { mailNewApp } from "../../people/auth/sign-in-mail.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import type { Visit } from "./visit.ts";

/** Any app can register this scheme. */
export const appScheme = "zulip:";

/** The URL that hands the app a new API key. */
export async function mobileAddress(
  ctx: Context,
  { realm, request }: Visit,
  account: AuthenticatedAccount,
  pad: string,
): Promise<string> {
  const key = await transaction(ctx.db, "sign in to an app", async (tx) => {
    await refuseWithoutFactor(tx, account, request);
    await clearAttempts(tx, account);
    await mailNewApp(tx, ctx, account, { client: "mobile app", ip: request.address });
    const made = await createDeviceKey(tx, account, "mobile app");
    await rememberProviderSession(tx, account, { api_key_id: made.row.id });
    const credential = { kind: "api_key", id: made.row.id } as const;
    const from = { ip: request.address, id: request.id };
    await noteSignIn(tx, account, from, { method: account.method ?? "registration", credential });
    return made.key;
  });
  const query = new URLSearchParams({
    realm: realmUrl(ctx.config, realm, request.origin),
    email: account.delivery_email,
    user_id: String(account.id),
    otp_encrypted_api_key: encrypt(key, pad),
  });
  return `${appScheme}//login?${query.toString()}`;
}

/** A one-time pad: the key is as long as the pad, and the pad is used once. */
function encrypt(key: string, pad: string): string {
  const bytes = Buffer.from(pad, "hex");
  const encrypted = Buffer.from(key, "ascii").map((byte, index) => byte ^ (bytes[index] ?? 0));
  return Buffer.from(encrypted).toString("hex");
}
