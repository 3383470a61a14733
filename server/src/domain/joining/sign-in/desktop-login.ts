/**
 * Signing in to a desktop app: the user copies a login token, and the app watches the clipboard. The token is encrypted, so
 * that only the app can read it, and authenticated, so that the app recognizes it among other copied text.
 */
import { createCipheriv, randomBytes } from "node:crypto";
import type { Context } from "../../../context.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { clearAttempts, type AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { createLoginToken } from "./login-token.ts";

const ivBytes = 12;

/** The text to copy. */
export async function sealedLoginToken(ctx: Context, account: AuthenticatedAccount, pad: string): Promise<string> {
  const token = await transaction(ctx.db, "sign in to an app", async (tx) => {
    await clearAttempts(tx, account);
    return createLoginToken(tx, account);
  });
  return seal(token, pad);
}

/** In the format the app expects: initialization vector, ciphertext and tag, in hexadecimal. */
function seal(text: string, pad: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(pad, "hex"), iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("hex");
}
