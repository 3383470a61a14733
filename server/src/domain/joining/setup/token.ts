/**
 * A setup token lets its holder create the first organization. While there is none, each server process prints a token of
 * its own when it starts; all of them become invalid once there is an organization.
 */
import { sql } from "kysely";
import { hashKey } from "../../../identity/sessions.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { newToken } from "../../base/confirmations.ts";

export const setupPath = "/setup";

export async function isSetUp(db: Db): Promise<boolean> {
  return (await db.selectFrom("realms").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** A new token; undefined if there is an organization already. */
export async function createSetupToken(db: Db): Promise<string | undefined> {
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

/** Uses up this token and all others. Of several concurrent calls, one succeeds. */
export async function takeSetupToken(tx: Tx, token: string): Promise<boolean> {
  // Serializes concurrent attempts.
  await sql`lock table setup_tokens in exclusive mode`.execute(tx);
  if ((await isSetUp(tx)) || !(await isSetupToken(tx, token))) return false;
  await tx.deleteFrom("setup_tokens").execute();
  return true;
}
