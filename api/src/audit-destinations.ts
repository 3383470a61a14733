/** Where the audit log is delivered to: webhooks and syslog servers. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

const area = "Audit log";

/** How many an organization can have. */
export const maxDestinations = 10;
const maxUrl = 2000;

export const auditDestination = z.strictObject({
  id: z.int().describe("The destination's ID."),
  kind: z.enum(["webhook", "syslog"]).describe("What receives the entries."),
  url: z.string().describe("Its URL, without credentials and parameters."),
  is_enabled: z.boolean().describe("Whether entries are delivered."),
  created_at: z.int().describe("When it was created, in Unix seconds."),
  delivered_id: z.int().describe("The newest entry that was delivered, and all before it."),
  newest_id: z.int().describe("The newest entry of the log."),
  delivered_at: z.int().nullable().describe("When the last delivery succeeded, in Unix seconds; null if none did."),
  failed_at: z.int().nullable().describe("When the last delivery failed; null if none did since one succeeded."),
  error: z.string().nullable().describe("Why it failed."),
  next_try_at: z.int().nullable().describe("When it is tried again; null if none has failed."),
});
export type AuditDestination = z.output<typeof auditDestination>;

const destination_id = json(z.int()).describe("The destination's ID.");
const url = textUpTo(maxUrl).describe(
  "`https://…` or `http://…` for a webhook; `tls://host:port` or `tcp://host:port` for a syslog server.",
);

export const getAuditDestinations = endpoint({
  operation: "get-audit-destinations",
  method: "GET",
  path: "/audit_log/destinations",
  auth: "user",
  scope: "admin",
  area,
  summary: "List the audit log's destinations",
  description: "Where the audit log is delivered to, and how far each destination has received it. For owners.",
  params: {},
  returns: { destinations: z.array(auditDestination).describe("The destinations, the oldest first.") },
});

export const createAuditDestination = endpoint({
  operation: "create-audit-destination",
  method: "POST",
  path: "/audit_log/destinations",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Deliver the audit log",
  description:
    "Deliver the audit log to a webhook or a syslog server: every entry at least once, in order. Receivers recognize an entry " +
    `that arrives twice by its ID. For owners. An organization can have ${maxDestinations} destinations.`,
  params: {
    url,
    after: json(z.int().min(0))
      .optional()
      .describe("Deliver entries after this ID, 0 for the whole log. By default only what is written from now on."),
  },
  returns: {
    ...auditDestination.shape,
    secret: z.string().nullable().describe("Signs what a webhook receives. It is shown this once; null for syslog."),
  },
});

export const updateAuditDestination = endpoint({
  operation: "update-audit-destination",
  method: "PATCH",
  path: "/audit_log/destinations/{destination_id}",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Change a destination of the audit log",
  description:
    "Turn deliveries off and on again, or change the URL. The position stays, so nothing is skipped. For owners.",
  params: {
    destination_id,
    is_enabled: json(z.boolean()).optional().describe("Whether entries are delivered."),
    url: url.optional(),
  },
  returns: {},
});

export const deleteAuditDestination = endpoint({
  operation: "delete-audit-destination",
  method: "DELETE",
  path: "/audit_log/destinations/{destination_id}",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Delete a destination of the audit log",
  description: "Stop delivering the audit log to this destination. For owners.",
  params: { destination_id },
  returns: {},
});

export const endpoints = [getAuditDestinations, createAuditDestination, updateAuditDestination, deleteAuditDestination];
