/** Reporting messages to the organization's moderators. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

export const maxReportDescriptionLength = 1000;

export const reportTypes = ["spam", "harassment", "inappropriate", "norms", "other"] as const;
export type ReportType = (typeof reportTypes)[number];

export const reportMessage = endpoint({
  operation: "report-message",
  method: "POST",
  path: "/messages/{message_id}/report",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Report a message",
  description:
    "Report a message to the moderators: the notification bot quotes it in the organization's channel for such " +
    "reports. Without that channel, nothing can be reported.",
  params: {
    message_id: json(z.int()).describe("The message's ID."),
    report_type: z.enum(reportTypes).describe("The reason."),
    description: textUpTo(maxReportDescriptionLength)
      .optional()
      .describe("An explanation for the moderators. Required with other."),
  },
  returns: {},
});

export const endpoints = [reportMessage];
