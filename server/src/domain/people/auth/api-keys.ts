/** API keys: one for each client that requests one, returned once and stored as a hash. */
import { randomBytes } from "node:crypto";
import { apiKeyLength } from "@skein/api/authentication.ts";
import { hashKey } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

type KeyHolder = Pick<User, "id" | "realm_id">;

/** Creates a key for a client of this account. It cannot be retrieved later: only its hash is stored. */
export async function createApiKey(tx: Tx, { id, realm_id }: KeyHolder, clientName: string): Promise<string> {
  const key = newKey();
  await tx
    .insertInto("api_keys")
    .values({ realm_id, user_id: id, key_hash: hashKey(key), client_name: clientName })
    .execute();
  return key;
}

/** Revokes every key of the account; returns how many there were. */
export async function revokeApiKeys(tx: Tx, { id, realm_id }: KeyHolder): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("api_keys")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The account's keys, the newest first. */
export const listApiKeys = (db: Db, { id, realm_id }: KeyHolder) =>
  db
    .selectFrom("api_keys")
    .select(["id", "client_name", "created_at"])
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .orderBy("id", "desc")
    .execute();

/** Revokes one key of the account; returns whether there was such a key. */
export async function revokeApiKey(tx: Tx, { id, realm_id }: KeyHolder, keyId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("api_keys")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("id", "=", keyId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Bytes from this value on are discarded, because they would make some characters more likely than others. */
const firstBiased = 256 - (256 % alphabet.length);

function newKey(): string {
  let key = "";
  while (key.length < apiKeyLength) {
    for (const byte of randomBytes(apiKeyLength)) {
      if (byte < firstBiased && key.length < apiKeyLength) key += alphabet[byte % alphabet.length];
    }
  }
  return key;
}
