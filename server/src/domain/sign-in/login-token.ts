/**
 * Signing in once more by having signed in elsewhere: in another browser on this machine, or under another name of this
 * server. Whoever has the token is signed in as the account it was made for, once, within a minute.
 */
import { z } from "zod";
import { accountById, type Realm, type User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { ProvenAccount } from "../auth/password-login.ts";
import { createConfirmation, purpose, takeConfirmation } from "../confirmations/confirmations.ts";

export const loginTokenPath = "/accounts/login/subdomain";

const loginToken = purpose({ name: "login token", data: z.strictObject({ user_id: z.int() }) });
const validMilliseconds = 60_000;

export const createLoginToken = (tx: Tx, { id, realm_id }: Pick<ProvenAccount, "id" | "realm_id">): Promise<string> =>
  createConfirmation(tx, loginToken, {
    realm: { id: realm_id },
    data: { user_id: id },
    expiresAt: new Date(Date.now() + validMilliseconds),
  });

/** The account it was made for, if that may still act. Uses the token up. */
export async function takeLoginToken(tx: Tx, realm: Realm, token: string): Promise<User | undefined> {
  const taken = await takeConfirmation(tx, loginToken, realm, token);
  return taken.state === "open" ? accountById(tx, taken.data.user_id) : undefined;
}
