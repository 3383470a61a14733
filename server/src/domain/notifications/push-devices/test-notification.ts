import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { findReader, type Reader } from "../judged-messages.ts";
import { listDevices, type Device, type DeviceKind } from "./devices.ts";
import { PushFailed, type PushOutcome } from "./outcome.ts";
import { mobileTest, webTest, type Payload } from "./payload.ts";
import { sendPayload } from "./push.ts";
import { hasPushRelay } from "./relay.ts";

const unknownDevice = () => new ApiError("Device not recognized", { code: "INVALID_PUSH_DEVICE_TOKEN" });
const unknownToService = () =>
  new ApiError("Device not recognized by the push bouncer", { code: "INVALID_REMOTE_PUSH_DEVICE_TOKEN" });

/** Notifies one of the user's mobile devices, or all, and waits for the outcome. */
export async function testMobileDevices(ctx: Context, user: User, token: string | undefined): Promise<void> {
  if (!hasPushRelay(ctx.config)) {
    if ((await listDevices(ctx.db, user, ["apns", "fcm"], token)).length === 0) throw unknownDevice();
    throw new ApiError("Push notifications are not configured on this server.");
  }
  await test(ctx, user, ["apns", "fcm"], token, (reader) => mobileTest(ctx.config, reader));
}

export const testBrowser = (ctx: Context, user: User, endpoint: string): Promise<void> =>
  test(ctx, user, ["web"], endpoint, webTest);

async function test(
  ctx: Context,
  user: User,
  kinds: DeviceKind[],
  token: string | undefined,
  payloadFor: (reader: Reader) => Payload,
): Promise<void> {
  const devices = await listDevices(ctx.db, user, kinds, token);
  const reader = await findReader(ctx.db, user.id);
  if (devices.length === 0 || !reader) throw unknownDevice();
  const outcomes = await Promise.all(devices.map((device) => reach(ctx, device, payloadFor(reader))));
  if (!outcomes.includes("sent")) throw unknownToService();
}

async function reach(ctx: Context, device: Device, payload: Payload): Promise<PushOutcome> {
  try {
    return await sendPayload(ctx, device, "test", "high", payload);
  } catch (error) {
    if (!(error instanceof PushFailed)) throw error;
    throw new ApiError("The push service cannot be reached at the moment.", { status: 502 });
  }
}
