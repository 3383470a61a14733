/**
 * Entries of the audit log as syslog messages (RFC 5424) over TCP or TLS, each with its length before it (RFC 6587, RFC 5425). Syslog
 * confirms nothing, so each delivery has a connection of its own: it has arrived when the receiver, after the last
 * byte, closes the connection, too.
 */
import type { AuditEntry } from "@skein/api/audit-log.ts";
import type { Outbound } from "../../../platform/outbound.ts";
import type { Delivery } from "./webhook.ts";

const defaultPorts: Readonly<Record<string, number>> = { "tcp:": 601, "tls:": 6514 };

export const isSyslog = (url: string): boolean => /^(tcp|tls):/.test(url);

/** Facility 13, log audit; severity 5, notice. */
const priority = 13 * 8 + 5;

/** Everything beyond ASCII is escaped, so that no receiver can misread it. */
const toAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7E]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** `<109>1 2026-11-16T09:00:00Z chat.example.com skein - user.update_role - {…}` */
export function toSyslogMessage(organization: string, entry: AuditEntry): string {
  const time = new Date(entry.at * 1000).toISOString().replace(".000Z", "Z");
  const host = URL.parse(organization)?.hostname ?? "-";
  const messageId = entry.action.slice(0, 32);
  return `<${priority}>1 ${time} ${host} skein - ${messageId} - ${toAscii(JSON.stringify(entry))}`;
}

export async function sendToSyslog(outbound: Outbound, url: string, delivery: Delivery): Promise<void> {
  const { organization, entries, timeoutMs } = delivery;
  const { protocol, hostname, port } = new URL(url);
  const messages = entries.map((entry) => toSyslogMessage(organization, entry));
  await outbound.transmit(
    {
      host: hostname.replaceAll(/^\[|\]$/g, ""),
      port: port === "" ? (defaultPorts[protocol] ?? 0) : Number(port),
      isSecure: protocol === "tls:",
      timeoutMs,
    },
    Buffer.from(messages.map((message) => `${message.length} ${message}`).join("")),
  );
}
