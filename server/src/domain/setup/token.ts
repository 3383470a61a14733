/**
 * Who may make the first organization: whoever reads what the server prints when it starts while there is none. Each
 * process prints a token of its own; all of them are worth nothing once there is an organization.
 */
import { sql } from "kysely";
import { hashKey } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { newToken } from "../confirmations/confirmations.ts";

export const setupPath = "/setup";

export async function isSetUp(db: Db): Promise<boolean> {
  return (await db.selectFrom("realms").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** A new token; none when there is an organization. */
export async function offerSetup(db: Db): Promise<string | undefined> {
  if (await isSetUp(db)) return undefined;
  const token = newToken();
  await db
    .insertInto("setup_tokens")
    .values({ token_hash: hashKey(token) })
    .execute();
  return token;
}

export async function isSetupToken(db: Db, token: string): Promise<boolean> {
  const row = await db
    .selectFrom("setup_tokens")
    .select("token_hash")
    .where("token_hash", "=", hashKey(token))
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses the token up, and all others. Of several who try at once, one does. */
export async function takeSetup(tx: Tx, token: string): Promise<boolean> {
  // Nobody else makes the first organization meanwhile.
  await sql`lock table setup_tokens in exclusive mode`.execute(tx);
  if ((await isSetUp(tx)) || !(await isSetupToken(tx, token))) return false;
  await tx.deleteFrom("setup_tokens").execute();
  return true;
}
