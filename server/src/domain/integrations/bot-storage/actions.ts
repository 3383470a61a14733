/** Key-value storage for bots: small strings that a bot's program keeps between runs. */
import { maxBotStorageLength } from "@skein/api/bot-storage.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

const missingKey = () => new ApiError("Key does not exist.");

/** Returns all keys if `keys` is omitted; a missing key is an error. */
export async function readStorage(db: Db, user: User, keys?: string[]): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom("bot_storage")
    .select(["key", "value"])
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .$if(keys !== undefined, (query) => query.where(sql<boolean>`key = any(${keys ?? []}::text[])`))
    .orderBy("key")
    .execute();
  const storage = new Map(rows.map((row) => [row.key, row.value]));
  if (keys?.some((key) => !storage.has(key))) throw missingKey();
  return Object.fromEntries(storage);
}

export async function writeStorage(tx: Tx, user: User, storage: Record<string, string>): Promise<void> {
  await lockStorage(tx, user);
  const keys = Object.keys(storage);
  await sql`
    insert into bot_storage (user_id, realm_id, key, value)
    select ${user.id}, ${user.realm_id}, key, value
    from unnest(${keys}::text[], ${Object.values(storage)}::text[]) as given (key, value)
    on conflict (user_id, key) do update set value = excluded.value`.execute(tx);
  const { rows } = await sql<{ length: number }>`
    select coalesce(sum(char_length(key) + char_length(value)), 0)::bigint as length
    from bot_storage where user_id = ${user.id}`.execute(tx);
  const excess = (rows[0]?.length ?? 0) - maxBotStorageLength;
  if (excess > 0)
    throw new ApiError(
      `Request exceeds storage limit by ${excess} characters. The limit is ${maxBotStorageLength} characters.`,
    );
}

export async function removeFromStorage(tx: Tx, user: User, keys?: string[]): Promise<void> {
  await lockStorage(tx, user);
  const { rows } = await sql`
    delete from bot_storage where user_id = ${user.id}
      and (${keys ?? null}::text[] is null or key = any(${keys ?? null}::text[])) returning key`.execute(tx);
  if (keys && rows.length < new Set(keys).size) throw missingKey();
}

/** Serializes writes of one account, so that together they stay within the limit. */
async function lockStorage(tx: Tx, { id, realm_id }: User): Promise<void> {
  await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm_id)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .execute();
}
