/** The devices that receive a user's notifications. */
import { sql, type Selectable } from "kysely";
import { ApiError, notForBots } from "../../../errors.ts";
import { hashBytes, hashKey, type Credentials } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { hasWorkerWithoutSeals } from "../../../jobs/lost-workers.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { PushDevicesTable } from "../../../platform/db/schema.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";

export type Device = Selectable<PushDevicesTable>;
export type DeviceKind = "apns" | "fcm" | "web";

const maxTokenLength = 4096;
/** Beyond this, the least recently registered devices are removed. */
const maxDevices = 50;

/** Throws for bots, which have no devices. */
export function accessOwnDevices(user: User): void {
  if (user.is_bot) throw notForBots();
}

export function checkToken(kind: DeviceKind, token: string): void {
  if (token === "" || token.length > maxTokenLength) throw new ApiError("Empty or invalid length token");
  if (kind === "apns" && !/^(?:[0-9a-f]{2})+$/i.test(token)) throw new ApiError("Invalid APNS token");
}

export function checkAppId(appId: string): void {
  if (!/^[.a-zA-Z0-9-]{1,200}$/.test(appId)) throw new ApiError("Invalid app ID");
}

const publicKeyBytes = 65;
const authBytes = 16;

/** Checks a browser's push subscription. Whether its URL may be contacted is checked on each request. */
export function checkSubscription({
  endpoint,
  p256dh,
  auth,
}: {
  endpoint: string;
  p256dh: string;
  auth: string;
}): void {
  const url = endpoint.length <= maxTokenLength ? URL.parse(endpoint) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") throw new ApiError("Invalid endpoint");
  if (!isBase64Url(p256dh) || Buffer.from(p256dh, "base64url").length !== publicKeyBytes)
    throw new ApiError("Invalid p256dh");
  if (!isBase64Url(auth) || Buffer.from(auth, "base64url").length !== authBytes) throw new ApiError("Invalid auth");
}

const isBase64Url = (text: string): boolean => text.length <= 200 && /^[\w-]+={0,2}$/.test(text);

interface NewDevice {
  kind: DeviceKind;
  token: string;
  app_id?: string;
  p256dh?: string;
  auth?: string;
}

/** In the plain-text column, which must not be empty, if the address is encrypted. */
const isSealed = "-";
export const addressPurpose = (userId: number) => `push device of user ${userId}`;
const sealAddress = (box: SecretBox, userId: number, token: string): string => box.seal(token, addressPurpose(userId));

/** The device's address at its push service. Undefined if it was encrypted with a secret that the server no longer has. */
export const deviceAddress = (box: SecretBox, { user_id, token, sealed_token }: Device): string | undefined =>
  token === isSealed ? box.open(sealed_token ?? "", addressPurpose(user_id)) : token;

const batchSize = 500;

/** Encrypts addresses that an earlier release stored as plain text. Returns whether there may be more. */
export async function sealDeviceAddresses(tx: Tx, box: SecretBox): Promise<boolean> {
  if (!box.canSeal) return false;
  const { rows } = await sql<{ id: number; user_id: number; token: string }>`
    select id, user_id, token from push_devices where token <> '-' and not ${hasWorkerWithoutSeals}
    order by id limit ${batchSize} for update skip locked`.execute(tx);
  if (rows.length === 0) return false;
  const sealed = rows.map(({ user_id, token }) => sealAddress(box, user_id, token));
  await sql`
    update push_devices d set token = ${isSealed}, sealed_token = new.sealed
    from unnest(${rows.map((row) => row.id)}::bigint[], ${sealed}::text[]) as new (id, sealed)
    where d.id = new.id`.execute(tx);
  return rows.length === batchSize;
}

export const sealStoredDeviceAddresses: Chore = {
  name: "sealing push addresses",
  everyMilliseconds: 30_000,
  run: async ({ db, secretBox }) => {
    while (await transaction(db, "seal push addresses", (tx) => sealDeviceAddresses(tx, secretBox)));
  },
};

/**
 * The device stays registered as long as the API key or session that registered it (`credentials`). A browser that was
 * registered for another user is moved to this one, without that user's notifications.
 */
export async function addDevice(
  tx: Tx,
  box: SecretBox,
  user: User,
  credentials: Credentials,
  device: NewDevice,
): Promise<void> {
  const { kind, token, app_id = null, p256dh = null, auth = null } = device;
  const hash = hashKey(token);
  const sealed = box.canSeal ? sealAddress(box, user.id, token) : null;
  const registeredBy =
    user.credential?.storedHash ?? hashBytes("keyHash" in credentials ? credentials.keyHash : credentials.tokenHash);
  if (kind === "web")
    await tx
      .deleteFrom("push_devices")
      .where("kind", "=", "web")
      .where("token_hash", "=", hash)
      .where("user_id", "<>", user.id)
      .execute();
  await sql`
    insert into push_devices (
      realm_id, user_id, kind, token, sealed_token, token_hash, app_id, p256dh, auth, registered_by)
    values (${user.realm_id}, ${user.id}, ${kind},
      case when ${sealed}::text is null or ${hasWorkerWithoutSeals} then ${token} else ${isSealed} end, ${sealed},
      ${hash}, ${app_id}, ${p256dh}, ${auth}, ${registeredBy})
    on conflict (user_id, kind, token_hash) do update set token = excluded.token, sealed_token = excluded.sealed_token,
      app_id = excluded.app_id, p256dh = excluded.p256dh, auth = excluded.auth, registered_by = excluded.registered_by, created_at = now()`.execute(
    tx,
  );
  await sql`
    delete from push_devices where id in (
      select id from push_devices where realm_id = ${user.realm_id} and user_id = ${user.id}
      order by created_at desc, id desc offset ${maxDevices})`.execute(tx);
}

export async function removeDevice(db: Db, user: User, kind: DeviceKind, token: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom("push_devices")
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("kind", "=", kind)
    .where("token_hash", "=", hashKey(token))
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new ApiError("Token does not exist");
}

/** The user's devices of these kinds: the one with this token, or all. */
export async function listDevices(db: Db, user: User, kinds: DeviceKind[], token?: string): Promise<Device[]> {
  const all = db
    .selectFrom("push_devices")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("kind", "in", kinds)
    .orderBy("id");
  return (token === undefined ? all : all.where("token_hash", "=", hashKey(token))).execute();
}
