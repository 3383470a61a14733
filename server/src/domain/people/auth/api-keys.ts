/**
 * API keys. Each client that signs in gets one, which may do everything; people create others for programs, with scopes and
 * possibly an end. A key is returned once and stored as a hash. A key ends inside revoke(), so that no node accepts it
 * afterwards.
 */
import { randomBytes } from "node:crypto";
import { maxPersonalKeys, type ApiKeyObject } from "@skein/api/api-keys.ts";
import { apiKeyLength } from "@skein/api/authentication.ts";
import { administratorScopes, grantableScopes } from "@skein/api/scopes.ts";
import { roles } from "@skein/api/users.ts";
import type { Selectable } from "kysely";
import { ApiError, insufficientScope } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import { removeQueuesOfKeys } from "../../../events/queue-store.ts";
import { hashKey, hashPersonalKey } from "../../../identity/sessions.ts";
import type { Credential, User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ApiKeysTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toTimestamp } from "../../base/timestamp.ts";

type KeyHolder = Pick<User, "id" | "realm_id"> & { is_bot?: boolean };

const columns = [
  "id",
  "name",
  "client_name",
  "kind",
  "scopes",
  "created_at",
  "expires_at",
  "last_used_at",
  "last_used_ip",
] as const;
type KeyRow = Pick<Selectable<ApiKeysTable>, (typeof columns)[number]>;

export interface CreatedKey {
  /** It cannot be retrieved later: only its hash is stored. */
  key: string;
  row: KeyRow;
}

/** Creates a key for a client of this account, with all scopes and without an end; returns the key. */
export async function createApiKey(tx: Tx, holder: KeyHolder, clientName: string): Promise<string> {
  const { key } = await createDeviceKey(tx, holder, clientName);
  return key;
}

/** The same, with what the key's owner is shown of it. */
export const createDeviceKey = (tx: Tx, holder: KeyHolder, clientName: string): Promise<CreatedKey> =>
  insertKey(tx, holder, { client_name: clientName });

type NewKey = Pick<KeyRow, "client_name"> & Partial<Pick<KeyRow, "name" | "kind" | "scopes" | "expires_at">>;

async function insertKey(tx: Tx, holder: KeyHolder, values: NewKey): Promise<CreatedKey> {
  const { id: user_id, realm_id } = holder;
  const key = newKey();
  const row = await tx
    .insertInto("api_keys")
    .values({
      realm_id,
      user_id,
      key_hash: values.kind === "personal" ? hashPersonalKey(key) : hashKey(key),
      ...values,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  emit(tx, realm_id, toUser(user_id), { type: "api_key", op: "add", api_key: toKeyObject(row, holder) });
  return { key, row };
}

interface RequestedKey {
  name: string;
  scopes: string[];
  expires_at?: number | undefined;
}

/** Creates a key for a program of this person. */
export async function createPersonalKey(
  tx: Tx,
  user: User,
  clientName: string,
  request: RequestedKey,
): Promise<CreatedKey> {
  const name = readKeyName(request.name);
  const scopes = readScopes(user, request.scopes);
  const expiresAt = readExpiry(user, request.expires_at);
  refuseMoreThanOwn(user.credential, scopes, expiresAt);
  // Two requests at once must not both create the last key.
  await tx.selectFrom("users").select("id").where("id", "=", user.id).forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom("api_keys")
    .select(tx.fn.countAll<number>().as("count"))
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("kind", "=", "personal")
    .executeTakeFirstOrThrow();
  if (count >= maxPersonalKeys) throw new ApiError(`You can have ${maxPersonalKeys} API keys. Revoke one first.`);
  const expires_at = expiresAt === undefined ? null : new Date(expiresAt);
  return insertKey(tx, user, { name, kind: "personal", client_name: clientName, scopes: scopes ?? null, expires_at });
}

function readKeyName(text: string): string {
  const name = text.trim();
  if (name === "") throw new ApiError("An API key needs a name.");
  return name;
}

/** Undefined: all. */
function readScopes({ role }: User, given: string[]): string[] | undefined {
  if (given.length === 0) throw new ApiError("An API key needs at least one scope.");
  for (const scope of given) {
    if (!grantableScopes.has(scope)) throw new ApiError(`Unknown scope: ${scope}`);
    if (administratorScopes.has(scope) && role > roles.administrator)
      throw new ApiError(`Only administrators can create keys with the scope ${scope}`);
  }
  return given.includes("*") ? undefined : [...new Set(given)].toSorted();
}

/** In milliseconds. */
function readExpiry({ realm }: User, seconds: number | undefined): number | undefined {
  const maxDays = realm.api_key_max_days;
  const latest = maxDays === 0 ? maxExpiry : Date.now() + maxDays * 86_400_000;
  if (seconds === undefined && maxDays === 0) return undefined;
  const expiresAt = seconds === undefined ? undefined : seconds * 1000;
  if (expiresAt !== undefined && expiresAt <= Date.now()) throw new ApiError("expires_at is in the past");
  if (expiresAt === undefined || expiresAt > latest)
    throw new ApiError(
      maxDays === 0 ? "expires_at is too late" : `API keys of this organization expire after at most ${maxDays} days`,
    );
  return expiresAt;
}

/** The year 9999, the last that all clients can read. */
const maxExpiry = Date.UTC(9999, 0);

/** A key must not be a way to a key that may do more, or lives longer. */
function refuseMoreThanOwn(
  own: Credential | undefined,
  scopes: string[] | undefined,
  expiresAt: number | undefined,
): void {
  if (own === undefined) return;
  const { scopes: granted } = own;
  if (granted !== undefined) {
    const missing = (scopes ?? ["*"]).filter((scope) => !granted.has(scope));
    if (missing.length > 0) throw insufficientScope(missing);
  }
  if (own.kind === "api_key" && (expiresAt ?? Infinity) > own.expiresAt)
    throw new ApiError("An API key cannot create one that expires later than itself", {
      code: "INSUFFICIENT_SCOPE",
      status: 403,
      data: { required_scopes: [] },
    });
}

/** Throws unless the request's key may do everything and does not expire, as the new key of the account. */
export const refuseLimitedKey = ({ credential }: User): void => refuseMoreThanOwn(credential, undefined, undefined);

/**
 * Revokes every key of the account; returns how many there were. Its event queues go on: clients that have regenerated the
 * key continue with the new one.
 */
export async function revokeApiKeys(tx: Tx, holder: KeyHolder): Promise<number> {
  return (await removeKeys(tx, holder)).length;
}

/** Revokes one key of the account, and ends its event queues; returns its name, or undefined if there is no such key. */
export async function revokeApiKey(tx: Tx, holder: KeyHolder, keyId: number): Promise<string | undefined> {
  const [removed] = await removeKeys(tx, holder, keyId);
  if (removed) await removeQueuesOfKeys(tx, holder, [removed.id]);
  return removed?.name;
}

async function removeKeys(tx: Tx, holder: KeyHolder, keyId?: number): Promise<{ id: number; name: string }[]> {
  const { id: user_id, realm_id } = holder;
  const removed = await tx
    .deleteFrom("api_keys")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", user_id)
    .$if(keyId !== undefined, (keys) => keys.where("id", "=", keyId ?? 0))
    .returning(["id", "name", "client_name"])
    .execute();
  for (const { id } of removed) emit(tx, realm_id, toUser(user_id), { type: "api_key", op: "remove", api_key_id: id });
  return removed.map(({ id, name, client_name }) => ({ id, name: name ?? client_name }));
}

/** The account's keys, the newest first. */
export const listApiKeys = (db: Db, { id, realm_id }: KeyHolder): Promise<KeyRow[]> =>
  db
    .selectFrom("api_keys")
    .select(columns)
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .orderBy("id", "desc")
    .execute();

/** Renames a key of the account; returns the names before and after, or undefined if there is no such key. */
export async function renameApiKey(
  tx: Tx,
  holder: KeyHolder,
  keyId: number,
  name: string,
): Promise<{ before: string; after: string } | undefined> {
  const { id: user_id, realm_id } = holder;
  const old = await tx
    .selectFrom("api_keys")
    .select(["name", "client_name"])
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", user_id)
    .where("id", "=", keyId)
    .forUpdate()
    .executeTakeFirst();
  if (!old) return undefined;
  const row = await tx
    .updateTable("api_keys")
    .set({ name: readKeyName(name) })
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", user_id)
    .where("id", "=", keyId)
    .returning(columns)
    .executeTakeFirstOrThrow();
  emit(tx, realm_id, toUser(user_id), { type: "api_key", op: "update", api_key: toKeyObject(row, holder) });
  return { before: old.name ?? old.client_name, after: row.name ?? "" };
}

export function toKeyObject(row: KeyRow, holder: KeyHolder, current?: Credential): ApiKeyObject {
  return {
    id: row.id,
    name: row.name ?? row.client_name,
    kind: holder.is_bot ? "bot" : row.kind === "personal" ? "personal" : "device",
    scopes: row.scopes ?? ["*"],
    created_at: toTimestamp(row.created_at),
    expires_at: row.expires_at && toTimestamp(row.expires_at),
    last_used_at: row.last_used_at && toTimestamp(row.last_used_at),
    last_used_ip: row.last_used_ip,
    is_current: current?.kind === "api_key" && current.id === row.id,
  };
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Bytes from this value on are discarded, because they would make some characters more likely than others. */
const firstBiased = 256 - (256 % alphabet.length);

export function newKey(): string {
  let key = "";
  while (key.length < apiKeyLength) {
    for (const byte of randomBytes(apiKeyLength)) {
      if (byte < firstBiased && key.length < apiKeyLength) key += alphabet[byte % alphabet.length];
    }
  }
  return key;
}
