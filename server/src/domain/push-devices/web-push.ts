/**
 * Browsers are reached through the push service each of them names when it subscribes. What is sent is encrypted for the
 * browser; the address is one a user gave us, so that it is judged as such (see platform/outbound.ts).
 */
import webPush from "web-push";
import type { Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import { addressOf } from "../../platform/mailer.ts";
import { OutboundError } from "../../platform/outbound.ts";
import { vapidPublicKey } from "../../platform/vapid.ts";
import { outcomeOf, PushFailed, type PushOutcome } from "./outcome.ts";
import type { Payload } from "./payload.ts";

/** What a browser cannot be told within this time is no news. */
const validSeconds = 24 * 3600;
const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

export const hasWebPush = ({ vapidKey }: Pick<Config, "vapidKey">): boolean => vapidKey !== "";

export interface Browser {
  token: string;
  p256dh: string;
  auth: string;
}

/** `name` is at most 32 letters, digits, `-` and `_`: what waits under the same name is replaced. */
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
    const isPassing = error.failure === "timeout" || error.failure === "unreachable";
    if (isPassing) throw new PushFailed(error.message, { cause: error });
    return "refused";
  }
}

/** Whom a push service can turn to. */
const subjectOf = ({ externalUrl, mailFrom }: Config): string =>
  externalUrl.startsWith("https:") ? externalUrl : `mailto:${addressOf(mailFrom)}`;
