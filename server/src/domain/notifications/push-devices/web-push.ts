/**
 * Browsers are notified through the push service that each of them names when it subscribes. Payloads are encrypted for the
 * browser. The service's URL comes from a user, so it is requested with the restrictions of platform/outbound.ts.
 */
import webPush from "web-push";
import type { Config } from "../../../config.ts";
import type { Context } from "../../../context.ts";
import { addressOf } from "../../../platform/mailer.ts";
import { OutboundError } from "../../../platform/outbound.ts";
import { vapidPublicKey } from "../../../platform/vapid.ts";
import { outcomeOf, PushFailed, type PushOutcome } from "./outcome.ts";
import type { Payload } from "./payload.ts";

/** How long the push service keeps a notification that it cannot deliver. */
const validSeconds = 24 * 3600;
const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

export const hasWebPush = ({ vapidKey }: Pick<Config, "vapidKey">): boolean => vapidKey !== "";

export interface Browser {
  token: string;
  p256dh: string;
  auth: string;
}

/** `name` has at most 32 letters, digits, `-` and `_`. A pending notification with the same name is replaced. */
export async function sendToBrowser(
  { config, outbound }: Pick<Context, "config" | "outbound">,
  { token: endpoint, p256dh, auth }: Browser,
  name: string,
  urgency: "high" | "normal",
  notification: Payload,
): Promise<PushOutcome> {
  if (!hasWebPush(config)) return "refused";
  const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(notification), {
    vapidDetails: {
      subject: subjectOf(config),
      publicKey: vapidPublicKey(config.vapidKey),
      privateKey: config.vapidKey,
    },
    TTL: validSeconds,
    urgency,
    topic: name,
  });
  try {
    const { status } = await outbound.request(endpoint, {
      method: "POST",
      headers: request.headers,
      body: request.body,
      timeoutMs,
      maxBytes,
      redirects: 0,
    });
    return outcomeOf(status);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const isTemporary = error.failure === "timeout" || error.failure === "unreachable";
    if (isTemporary) throw new PushFailed(error.message, { cause: error });
    return "refused";
  }
}

/** The contact for operators of push services. */
const subjectOf = ({ externalUrl, mailFrom }: Config): string =>
  externalUrl.startsWith("https:") ? externalUrl : `mailto:${addressOf(mailFrom)}`;
