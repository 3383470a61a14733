/**
 * Carries a sign-in over from another browser on the same machine, or from another host name of this server. A token signs
 * its holder in to the account it was created for, once, within a minute.
 */
import { z } from "zod";
import { accountById, type Realm, type User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { createConfirmation, peekConfirmation, purpose, consumeConfirmation } from "../../base/confirmations.ts";

export const loginTokenPath = "/accounts/login/subdomain";

const loginToken = purpose({ name: "login token", data: z.strictObject({ user_id: z.int() }) });
const validMilliseconds = 60_000;

export const createLoginToken = (
  tx: Tx,
  { id, realm_id }: Pick<AuthenticatedAccount, "id" | "realm_id">,
): Promise<string> =>
  createConfirmation(tx, loginToken, {
    realm: { id: realm_id },
    data: { user_id: id },
    expiresAt: new Date(Date.now() + validMilliseconds),
  });

/** The token's account, if it is still active. Does not use the token up. */
export async function peekLoginToken(db: Db, realm: Realm, token: string): Promise<User | undefined> {
  const found = await peekConfirmation(db, loginToken, realm, token);
  return found.state === "open" ? accountById(db, found.data.user_id) : undefined;
}

/** The token's account, if it is still active. Uses the token up. */
export async function takeLoginToken(tx: Tx, realm: Realm, token: string): Promise<User | undefined> {
  const taken = await consumeConfirmation(tx, loginToken, realm, token);
  return taken.state === "open" ? accountById(tx, taken.data.user_id) : undefined;
}
