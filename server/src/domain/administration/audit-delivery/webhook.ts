/** Entries of the audit log as requests: a JSON object, signed so that the receiver knows who sent it, and when. */
import { createHmac } from "node:crypto";
import type { AuditEntry } from "@skein/api/audit-log.ts";
import type { Outbound } from "../../../platform/outbound.ts";

export interface Delivery {
  /** The organization's URL. */
  organization: string;
  /** In order. */
  entries: AuditEntry[];
  timeoutMs: number;
}

/** The receiver responded, but did not accept the entries; or nothing could be sent to it. */
export class NotAccepted extends Error {
  override name = "NotAccepted";
}

const maxAnswerBytes = 64 * 1024;

/** What the header X-Skein-Signature has for this time (in Unix seconds, as text) and body. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;

export async function sendToWebhook(
  outbound: Outbound,
  url: string,
  secret: string,
  delivery: Delivery,
): Promise<void> {
  const { organization, entries, timeoutMs } = delivery;
  const body = JSON.stringify({ organization, entries });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const { status } = await outbound.request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-skein-timestamp": timestamp,
      "x-skein-signature": signatureOf(secret, timestamp, body),
    },
    body,
    timeoutMs,
    maxBytes: maxAnswerBytes,
    redirects: 0,
  });
  if (status < 200 || status >= 300) throw new NotAccepted(`the webhook responded with status ${status}`);
}
