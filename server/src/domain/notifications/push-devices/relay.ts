/**
 * Mobile devices are notified through a relay that the operator configures, because Apple and Google accept notifications
 * only from an app's publisher. docs/notifications.md describes its protocol.
 */
import type { Config } from "../../../config.ts";
import { outcomeOf, PushFailed, type PushOutcome } from "./outcome.ts";
import type { Payload } from "./payload.ts";

const timeoutMilliseconds = 10_000;

type RelaySettings = Pick<Config, "pushRelayUrl" | "pushRelaySecret">;

export const hasPushRelay = ({ pushRelayUrl }: RelaySettings): boolean => pushRelayUrl !== "";

export interface MobileDevice {
  kind: "apns" | "fcm";
  token: string;
  app_id: string | null;
}

/** `id` identifies the notification, so that the relay can recognize duplicates. */
export async function sendToRelay(
  { pushRelayUrl, pushRelaySecret }: RelaySettings,
  device: MobileDevice,
  id: string,
  priority: "high" | "normal",
  notification: Payload,
): Promise<PushOutcome> {
  if (pushRelayUrl === "") return "refused";
  const { kind, token, app_id } = device;
  const body = {
    version: 1,
    id,
    priority,
    device: { kind, token, ...(app_id === null ? {} : { app_id }) },
    notification,
  };
  try {
    const answer = await fetch(pushRelayUrl, {
      method: "POST",
      headers: { authorization: `Bearer ${pushRelaySecret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    await answer.body?.cancel();
    return outcomeOf(answer.status);
  } catch (error) {
    if (error instanceof PushFailed) throw error;
    throw new PushFailed("the relay could not be reached", { cause: error });
  }
}
