/** API keys: one for each client that asks, shown once, kept as a hash. */
import { randomBytes } from "node:crypto";
import { apiKeyLength } from "@skein/api/authentication.ts";
import { hashKey, type User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";

type KeyHolder = Pick<User, "id" | "realm_id">;

/** Makes a key for a client of this account. It cannot be had again: only its hash is kept. */
export async function createApiKey(tx: Tx, { id, realm_id }: KeyHolder, clientName: string): Promise<string> {
  const key = newKey();
  await tx
    .insertInto("api_keys")
    .values({ realm_id, user_id: id, key_hash: hashKey(key), client_name: clientName })
    .execute();
  return key;
}

/** Takes every key of the account away; how many there were. */
export async function revokeApiKeys(tx: Tx, { id, realm_id }: KeyHolder): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("api_keys")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Bytes from here on would make some letters likelier than others, and are thrown away. */
const firstUnfair = 256 - (256 % letters.length);

function newKey(): string {
  let key = "";
  while (key.length < apiKeyLength) {
    for (const byte of randomBytes(apiKeyLength)) {
      if (byte < firstUnfair && key.length < apiKeyLength) key += letters[byte % letters.length];
    }
  }
  return key;
}
