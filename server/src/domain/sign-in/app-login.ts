/**
 * Signing in for an app that has opened a browser: the browser is led back to the app with an API key, hidden by a
 * number that only the app knows, since any app may claim such addresses.
 */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { PageRequest } from "../../http/router.ts";
import type { Realm } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { createApiKey } from "../auth/api-keys.ts";
import { clearTries, type ProvenAccount } from "../auth/password-login.ts";
import { realmUrl } from "../realm/address.ts";

export const appScheme = "zulip:";
/** The parameter, and the form's field, that carries the number. */
export const padField = "mobile_flow_otp";
const padForm = /^[0-9a-f]{64}$/i;

/** The number the app has given, if it was an app that opened this. */
export function readPad({ form }: PageRequest): string | undefined {
  const pad = form.get(padField);
  if (pad !== undefined && !padForm.test(pad)) throw new ApiError("Invalid OTP");
  return pad;
}

/** The address that takes a new key of the account to the app. */
export async function appAddress(
  ctx: Context,
  realm: Realm,
  account: ProvenAccount,
  { origin }: PageRequest,
  pad: string,
): Promise<string> {
  const key = await transaction(ctx.db, "sign in to an app", async (tx) => {
    await clearTries(tx, account);
    return createApiKey(tx, account, "mobile app");
  });
  const query = new URLSearchParams({
    realm: realmUrl(ctx.config, realm, origin),
    email: account.delivery_email,
    user_id: String(account.id),
    otp_encrypted_api_key: hide(key, pad),
  });
  return `${appScheme}//login?${query.toString()}`;
}

/** A key has as many bytes as a pad, and a pad is used once. */
export function hide(key: string, pad: string): string {
  const bytes = Buffer.from(pad, "hex");
  const hidden = Buffer.from(key, "ascii").map((byte, index) => byte ^ (bytes[index] ?? 0));
  return Buffer.from(hidden).toString("hex");
}
