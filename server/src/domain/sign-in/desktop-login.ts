/**
 * Back to an app on this desktop: by something copied over, which the app waits for. It is a login token, sealed so that
 * only the app can open it, and so that the app knows it from anything else that is copied meanwhile.
 */
import { createCipheriv, randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { clearTries, type ProvenAccount } from "../auth/password-login.ts";
import { createLoginToken } from "./login-token.ts";

const ivBytes = 12;

/** What is to be copied. */
export async function sealedLoginToken(ctx: Context, account: ProvenAccount, pad: string): Promise<string> {
  const token = await transaction(ctx.db, "sign in to an app", async (tx) => {
    await clearTries(tx, account);
    return createLoginToken(tx, account);
  });
  return seal(token, pad);
}

/** In the form that the app takes: initialization vector, sealed text and tag, in hexadecimal. */
function seal(text: string, pad: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(pad, "hex"), iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("hex");
}
