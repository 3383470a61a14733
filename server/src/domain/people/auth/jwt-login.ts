/** Signs a user in by a token that a program trusted by their organization has signed. */
import { jwtVerify, type JWTPayload } from "jose";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { countSignIn } from "./count-sign-in.ts";
import type { AuthenticatedAccount } from "./password-login.ts";
import { refuseOtherMethods } from "./sign-in-methods.ts";
import { accessVouchedAccount } from "./vouched-account.ts";

/** The token's account; throws when the token is invalid or there is no such active account. */
export const authenticateByToken = (ctx: Context, realm: Realm, text: string): Promise<AuthenticatedAccount> =>
  countSignIn(ctx, "token", () => verifyToken(ctx, realm, text));

async function verifyToken(ctx: Context, realm: Realm, text: string): Promise<AuthenticatedAccount> {
  const host = realmHost(ctx.config, realm);
  const secret = ctx.config.jwtSecrets.get(host);
  if (secret === undefined) throw new ApiError("JWT authentication is not enabled for this organization");
  refuseOtherMethods(realm);
  if (text === "") throw new ApiError("No JSON web token passed in request");
  const claims = await verify(text, secret, host);
  if (!claims) throw new ApiError("Bad JSON web token");
  const { email } = claims;
  if (typeof email !== "string") throw new ApiError("No email specified in JSON web token claims");
  return { ...(await accessVouchedAccount(ctx.db, realm, email)), method: "token" };
}

const maxLength = 16_384;

/** The claims of a valid token, otherwise undefined. Only HS256 is accepted, whatever algorithm the token names. */
async function verify(text: string, secret: string, host: string): Promise<JWTPayload | undefined> {
  // jose skips white space inside a token.
  if (text.length > maxLength || !/^[\w.-]+$/.test(text)) return undefined;
  const claims = await jwtVerify(text, Buffer.from(secret), { algorithms: ["HS256"] }).then(
    ({ payload }) => payload,
    () => undefined,
  );
  return claims && isIssuedInThePast(claims) && isForHost(claims, host) ? claims : undefined;
}

/** jose checks `exp` and `nbf`, but not `iat`. */
const isIssuedInThePast = ({ iat }: JWTPayload): boolean => iat === undefined || iat <= Date.now() / 1000;

/** Most tokens name no audience; one that does must name us. */
function isForHost({ aud = [] }: JWTPayload, host: string): boolean {
  const audience = [aud].flat();
  return audience.length === 0 || audience.some((name) => name === host || URL.parse(name)?.hostname === host);
}
