/** Back to an app on a phone: by an address that it opens, with an API key that only the app can read. */
import type { Context } from "../../context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { createApiKey } from "../auth/api-keys.ts";
import { clearTries, type ProvenAccount } from "../auth/password-login.ts";
import { realmUrl } from "../realm/address.ts";
import type { Visit } from "./visit.ts";

/** Any app may claim such addresses. */
export const appScheme = "zulip:";

/** The address that takes a new key of the account to the app. */
export async function mobileAddress(
  ctx: Context,
  { realm, request }: Visit,
  account: ProvenAccount,
  pad: string,
): Promise<string> {
  const key = await transaction(ctx.db, "sign in to an app", async (tx) => {
    await clearTries(tx, account);
    return createApiKey(tx, account, "mobile app");
  });
  const query = new URLSearchParams({
    realm: realmUrl(ctx.config, realm, request.origin),
    email: account.delivery_email,
    user_id: String(account.id),
    otp_encrypted_api_key: hide(key, pad),
  });
  return `${appScheme}//login?${query.toString()}`;
}

/** A key has as many bytes as a pad, and a pad is used once. */
function hide(key: string, pad: string): string {
  const bytes = Buffer.from(pad, "hex");
  const hidden = Buffer.from(key, "ascii").map((byte, index) => byte ^ (bytes[index] ?? 0));
  return Buffer.from(hidden).toString("hex");
}
