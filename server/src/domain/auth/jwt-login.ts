/** Somebody shows who they are by a token that a program of their organization has signed. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { Realm } from "../../http/sessions.ts";
import { audienceOf, isInTime, isSignedWithSecret, readWebToken } from "../../platform/json-web-token.ts";
import { realmHost } from "../realm/address.ts";
import type { ProvenAccount } from "./password-login.ts";
import { accessVouchedAccount } from "./vouched-account.ts";

/** The account that the token is about; throws when it is not genuine, or there is none that may act. */
export async function proveByToken(ctx: Context, realm: Realm, text: string): Promise<ProvenAccount> {
  const host = realmHost(ctx.config, realm);
  const secret = ctx.config.jwtSecrets.get(host);
  if (secret === undefined) throw new ApiError("JWT authentication is not enabled for this organization");
  if (text === "") throw new ApiError("No JSON web token passed in request");
  const token = readWebToken(text);
  if (
    !token ||
    !isSignedWithSecret(token, secret) ||
    !isInTime(token.claims) ||
    !isForUs(audienceOf(token.claims), host)
  )
    throw new ApiError("Bad JSON web token");
  const { email } = token.claims;
  if (typeof email !== "string") throw new ApiError("No email specified in JSON web token claims");
  return accessVouchedAccount(ctx.db, realm, email);
}

/** A token made for somebody else is none for us; most are made for nobody in particular. */
const isForUs = (audience: string[], host: string): boolean =>
  audience.length === 0 || audience.some((name) => name === host || URL.parse(name)?.hostname === host);
