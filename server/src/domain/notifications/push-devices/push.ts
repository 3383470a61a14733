/**
 * Sends notifications to a device, and removes those of messages that were read or deleted. Every message is checked again
 * just before it is sent: the reader must be allowed to see it, must not have read it, and must still want the notification.
 *
 * **Invariant:** a notification is marked as tried before it is sent and as sent afterwards. If a worker crashes in between,
 * it is sent again with the same tag and replaces the first one. One that may have arrived is removed when it is over.
 */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { job } from "../../../jobs/job.ts";
import { findReader, judgeMessages, type JudgedMessage, type Reader } from "../judged-messages.ts";
import type { DeliveryMethod } from "../rule.ts";
import { waitSeconds } from "./add.ts";
import { devicePush, type DevicePush } from "./device-push.ts";
import { deviceAddress, type Device } from "./devices.ts";
import type { PushOutcome } from "./outcome.ts";
import { mobileMessage, mobileRemoval, tagOf, webMessage, webRemoval, type Payload } from "./payload.ts";
import { sendToRelay } from "./relay.ts";
import { sendToBrowser } from "./web-push.ts";

/** Notifications per batch; the rest follow in the next one. */
const batchSize = 50;

export const pushToDevice = job({
  ...devicePush,
  run: async (ctx, { device_id }, { attempt, maxAttempts }) => {
    try {
      while (await pushBatch(ctx, device_id));
    } catch (error) {
      if (attempt < maxAttempts) throw error;
      await giveUp(ctx, device_id);
      ctx.logger.warn(
        { err: error, device_id },
        "giving up on a device that could not be reached; its notifications are dropped",
      );
    }
  },
});

interface Push {
  message_id: number;
  is_tried: boolean;
  is_over: boolean;
}

/** Returns whether there may be more to do. */
async function pushBatch(ctx: Context, deviceId: number): Promise<boolean> {
  const device = await findDevice(ctx, deviceId);
  const reader = device && (await findReader(ctx.db, device.user_id));
  if (!device || !reader) return false;
  const { rows: pushes } = await sql<Push>`
    select message_id, is_tried, is_over from pushes
    where device_id = ${deviceId} and (is_over or (not is_sent and due_at <= now()))
    order by message_id limit ${batchSize}`.execute(ctx.db);
  const over = pushes.filter(({ is_over }) => is_over);
  if (over.length > 0 && (await remove(ctx, device, reader, over)) === "gone") return false;
  const due = pushes.filter(({ is_over }) => !is_over).map(({ message_id }) => message_id);
  if (due.length > 0 && (await show(ctx, device, reader, due)) === "gone") return false;
  return pushes.length === batchSize;
}

/** Undefined if it no longer exists, or if the session or API key it was registered with has expired. */
async function findDevice({ db }: Context, id: number): Promise<Device | undefined> {
  const { rows } = await sql<Device>`
    select d.* from push_devices d where d.id = ${id} and not exists (
      select from browser_sessions b where b.token_hash = d.registered_by and b.expires_at <= now())
      and not exists (select from api_keys k where k.key_hash = d.registered_by and k.expires_at <= now())`.execute(db);
  return rows[0];
}

async function show(ctx: Context, device: Device, reader: Reader, ids: number[]): Promise<PushOutcome> {
  const method: DeliveryMethod = device.kind === "web" ? "web" : "mobile";
  const judged = await judgeMessages(ctx.db, reader.id, ids);
  const due = judged.filter((message) => message.due[method]);
  const marked = await sortOut(ctx, device, ids, {
    due: due.map(({ id }) => id),
    ready: due.filter((message) => message.due[method]?.isNow).map(({ id }) => id),
  });
  const ready = due.filter(({ id }) => marked.has(id));
  ctx.metrics.notifications.inc({ kind: method, outcome: "no longer due" }, ids.length - due.length);
  for (const message of ready) {
    const payload =
      method === "web" ? webMessage(ctx.config, reader, message) : mobileMessage(ctx.config, reader, message);
    const outcome = await send(ctx, device, tagOf(message.id), urgencyOf(message, method), payload);
    if (outcome === "gone") return outcome;
    await (outcome === "sent" ? markSent(ctx, device, message.id) : forget(ctx, device, [message.id]));
  }
  return "sent";
}

const urgencyOf = ({ due }: JudgedMessage, method: DeliveryMethod) =>
  due[method]?.trigger === "direct_message" || due[method]?.trigger === "mentioned" ? "high" : "normal";

/**
 * Deletes notifications that are no longer due, or marks them for removal if the device may show them, and postpones those
 * that have to wait. Marks those that are ready as tried and returns them, unless they were read in the meantime.
 */
async function sortOut(
  { db }: Context,
  device: Device,
  ids: number[],
  { due, ready }: { due: number[]; ready: number[] },
): Promise<Set<number>> {
  const { rows } = await sql<{ message_id: number; is_ready: boolean }>`
    with judged as materialized (
      select message_id, message_id = any(${due}::bigint[]) as is_due, message_id = any(${ready}::bigint[]) as is_ready
      from pushes where device_id = ${device.id} and message_id = any(${ids}::bigint[]) and not is_over
      order by message_id for update),
    forgotten as (
      delete from pushes p using judged j
      where p.device_id = ${device.id} and p.message_id = j.message_id and not j.is_due and not p.is_tried)
    update pushes p set is_over = not j.is_due, is_tried = p.is_tried or j.is_ready, is_handed = j.is_ready,
      due_at = case when j.is_due and not j.is_ready then now() + make_interval(secs => ${waitSeconds}) else p.due_at end
    from judged j
    where p.device_id = ${device.id} and p.message_id = j.message_id and (j.is_due or p.is_tried)
    returning p.message_id, j.is_ready`.execute(db);
  return new Set(rows.filter((row) => row.is_ready).map((row) => row.message_id));
}

async function remove(ctx: Context, device: Device, reader: Reader, over: Push[]): Promise<PushOutcome> {
  const shown = over.filter(({ is_tried }) => is_tried).map(({ message_id }) => message_id);
  if (shown.length > 0) {
    const payload = device.kind === "web" ? webRemoval(shown) : mobileRemoval(ctx.config, reader, shown);
    // A single removal has the notification's own tag, so it also replaces one that is still in flight.
    const name = shown.length === 1 ? tagOf(shown[0] ?? 0) : `removal-${Math.max(...shown)}`;
    if ((await send(ctx, device, name, "normal", payload, "removed")) === "gone") return "gone";
  }
  await forget(
    ctx,
    device,
    over.map(({ message_id }) => message_id),
  );
  return "sent";
}

async function send(
  ctx: Context,
  device: Device,
  name: string,
  urgency: "high" | "normal",
  payload: Payload,
  success: "sent" | "removed" = "sent",
): Promise<PushOutcome> {
  const outcome = await sendPayload(ctx, device, name, urgency, payload);
  const kind = device.kind === "web" ? "web" : "mobile";
  ctx.metrics.notifications.inc({ kind, outcome: outcome === "sent" ? success : outcome });
  if (outcome === "gone") await ctx.db.deleteFrom("push_devices").where("id", "=", device.id).execute();
  if (outcome === "refused") ctx.logger.warn({ device_id: device.id, kind }, "a push service refused a notification");
  return outcome;
}

/** Sends to a device of any kind. `name` identifies the notification on that device. */
export async function sendPayload(
  ctx: Pick<Context, "config" | "outbound" | "secretBox">,
  device: Device,
  name: string,
  urgency: "high" | "normal",
  payload: Payload,
): Promise<PushOutcome> {
  const { id, kind, app_id, p256dh, auth } = device;
  const token = deviceAddress(ctx.secretBox, device);
  if (token === undefined) return "refused";
  if (kind === "apns" || kind === "fcm")
    return sendToRelay(ctx.config, { kind, token, app_id }, `${id}-${name}`, urgency, payload);
  if (p256dh === null || auth === null) throw new Error("a browser's keys are kept with it");
  return sendToBrowser(ctx, { token, p256dh, auth }, name, urgency, payload);
}

async function markSent({ db }: Context, { id }: Device, messageId: number): Promise<void> {
  await db
    .updateTable("pushes")
    .set({ is_sent: true })
    .where("device_id", "=", id)
    .where("message_id", "=", messageId)
    .execute();
}

async function forget({ db }: Context, { id }: Device, messageIds: number[]): Promise<void> {
  await db.deleteFrom("pushes").where("device_id", "=", id).where("message_id", "in", messageIds).execute();
}

async function giveUp(ctx: Context, deviceId: DevicePush["device_id"]): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom("pushes")
    .where("device_id", "=", deviceId)
    .where((where) => where.or([where("is_sent", "=", false), where("is_over", "=", true)]))
    .executeTakeFirst();
  ctx.metrics.notifications.inc({ kind: "device", outcome: "given up" }, Number(numDeletedRows));
}
