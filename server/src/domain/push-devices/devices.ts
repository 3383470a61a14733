/** Which devices show whose notifications. */
import { sql, type Selectable } from "kysely";
import { ApiError, notForBots } from "../../errors.ts";
import { hashKey, type Credentials, type User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { PushDevicesTable } from "../../platform/db/schema.ts";
import type { Tx } from "../../platform/db/transaction.ts";

export type Device = Selectable<PushDevicesTable>;
export type DeviceKind = "apns" | "fcm" | "web";

const maxTokenLength = 4096;
/** The least recently registered make room. */
const maxDevices = 50;

/** Throws for bots, whom nobody reaches on a device. */
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

/** What a browser gave out when it subscribed. Whether we may reach the address is judged when we do. */
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

/**
 * It lasts as long as the key or session it is registered with (`asking`). A browser that was somebody else's is the
 * user's from now on, with nothing of what it showed.
 */
export async function addDevice(tx: Tx, user: User, asking: Credentials, device: NewDevice): Promise<void> {
  const { kind, token, app_id = null, p256dh = null, auth = null } = device;
  const hash = hashKey(token);
  const registeredBy = "keyHash" in asking ? asking.keyHash : asking.tokenHash;
  if (kind === "web")
    await tx
      .deleteFrom("push_devices")
      .where("kind", "=", "web")
      .where("token_hash", "=", hash)
      .where("user_id", "<>", user.id)
      .execute();
  await sql`
    insert into push_devices (realm_id, user_id, kind, token, token_hash, app_id, p256dh, auth, registered_by)
    values (${user.realm_id}, ${user.id}, ${kind}, ${token}, ${hash}, ${app_id}, ${p256dh}, ${auth}, ${registeredBy})
    on conflict (user_id, kind, token_hash) do update set app_id = excluded.app_id, p256dh = excluded.p256dh,
      auth = excluded.auth, registered_by = excluded.registered_by, created_at = now()`.execute(tx);
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

/** The user's own of these kinds: the one with this token, or all. */
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
