/**
 * Carries a sign-in over from another browser on the same machine, or from another host name of this server. A token signs
 * its holder in to the account it was created for, once, within a minute.
 */
import { z } from "zod";
import { accountById, type Realm, type User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { AuthenticatedAccount } from "../../people/auth/password-login.ts";
import type { ProviderSession } from "../../people/auth/provider-sessions.ts";
import {
  createConfirmation,
  peekConfirmation,
  purpose,
  consumeConfirmation,
  revokeConfirmations,
} from "../../base/confirmations.ts";

export const loginTokenPath = "/accounts/login/subdomain";

/** The session at an identity provider that the sign-in belongs to. */
const providerSession = z.strictObject({ provider_id: z.int(), subject: z.string(), sid: z.string().nullable() });
const loginToken = purpose({
  name: "login token",
  data: z.strictObject({ user_id: z.int(), provider_session: providerSession.optional() }),
});
const validMilliseconds = 60_000;

export const createLoginToken = (
  tx: Tx,
  { id, realm_id, providerSession: session }: Pick<AuthenticatedAccount, "id" | "realm_id" | "providerSession">,
): Promise<string> =>
  createConfirmation(tx, loginToken, {
    realm: { id: realm_id },
    data: { user_id: id, ...(session ? { provider_session: session } : {}) },
    expiresAt: new Date(Date.now() + validMilliseconds),
  });

/** The token's account, if it is still active. Does not use the token up. */
export async function peekLoginToken(db: Db, realm: Realm, token: string): Promise<User | undefined> {
  const found = await peekConfirmation(db, loginToken, realm, token);
  return found.state === "open" ? accountById(db, found.data.user_id) : undefined;
}

/** The token's account, if it is still active. Uses the token up. */
export async function takeLoginToken(tx: Tx, realm: Realm, token: string): Promise<AuthenticatedAccount | undefined> {
  const taken = await consumeConfirmation(tx, loginToken, realm, token);
  if (taken.state !== "open") return undefined;
  const { user_id, provider_session: session } = taken.data;
  const user = await accountById(tx, user_id);
  return user && { ...user, ...(session ? { providerSession: session } : {}) };
}

/** Revokes the tokens of a session at an identity provider, or of all sessions of a person there. */
export const revokeLoginTokens = (tx: Tx, realm: Pick<Realm, "id">, session: Partial<ProviderSession>): Promise<void> =>
  revokeConfirmations<object>(tx, loginToken, realm, { provider_session: session });
