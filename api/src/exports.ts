/** Exports: all data of an organization in one file, for its administrators. */
import { z } from "zod";
import { endpoint, json, jsonOrText } from "./endpoint.ts";

/** As they are stored; older clients name them by these numbers. */
export const exportTypes = { public: 1, withConsent: 2 } as const;
export const maxExportsPerWeek = 5;

/** The words of the protocol, by number. */
export const exportTypeNames = { 1: "public", 2: "full_with_consent" } as const;

const exportType = z
  .enum(["public", "full_with_consent", "full_without_consent"])
  .describe("public, full_with_consent for what people who consented can read, too, or full_without_consent.");
/** Older clients send numbers. */
const requestedType = z.union([exportType, z.literal([exportTypes.public, exportTypes.withConsent])]);
export type RequestedExportType = z.output<typeof requestedType>;

const realmExport = z
  .strictObject({
    id: z.int(),
    acting_user_id: z.int().describe("Who requested it."),
    export_type: exportType,
    export_time: z.number().describe("When it was requested."),
    pending: z.boolean().describe("Whether it is still being made."),
    failed_timestamp: z.number().nullable().describe("When it failed; null unless it did."),
    deleted_timestamp: z.number().nullable().describe("When it was deleted; null while it is there."),
    export_url: z
      .string()
      .nullable()
      .describe("Where administrators can fetch it, with their credentials; null unless it is there."),
  })
  .meta({ id: "RealmExport" });
export type RealmExport = z.output<typeof realmExport>;

const area = "Server and organization";
const exports = z.array(realmExport).describe("Oldest first, deleted and failed ones included.");

export const getExports = endpoint({
  operation: "get-realm-exports",
  method: "GET",
  path: "/export/realm",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get data exports",
  description: "All exports of the organization's data that were requested. For administrators.",
  params: {},
  returns: { exports },
});

export const createExport = endpoint({
  operation: "export-realm",
  method: "POST",
  path: "/export/realm",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Create a data export",
  description:
    "Export all of the organization's data to one file. The file is created after this request returns; events report " +
    `its progress. One at a time, and at most ${maxExportsPerWeek} in a week. For administrators.`,
  params: {
    export_type: jsonOrText(requestedType)
      .default("public")
      .describe(
        "public for what is public, full_with_consent also for what people who consented can read; or, as older clients " +
          "say, 1 and 2. full_without_consent is not enabled here.",
      ),
  },
  returns: { id: z.int().describe("The new export.") },
});

export const removeExport = endpoint({
  operation: "delete-realm-export",
  method: "DELETE",
  path: "/export/realm/{export_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Delete a data export",
  description: "Delete the file of a finished export. For administrators.",
  params: { export_id: json(z.int()).describe("The export.") },
  returns: {},
});

export const getExportConsents = endpoint({
  operation: "get-realm-export-consents",
  method: "GET",
  path: "/export/realm/consents",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get consents to data exports",
  description: "Which users consent to the export of their private data. For administrators.",
  params: {},
  returns: {
    export_consents: z
      .array(
        z.strictObject({
          user_id: z.int(),
          consented: z.boolean(),
          email_address_visibility: z
            .int()
            .describe("Who can see the user's e-mail address, as in the user's settings."),
        }),
      )
      .describe("By user ID."),
  },
});

export const exportsEvent = z.strictObject({ type: z.literal("realm_export"), exports });

export const exportConsentEvent = z.strictObject({
  type: z.literal("realm_export_consent"),
  user_id: z.int(),
  consented: z.boolean().describe("Whether this user agrees to private data being exported."),
});

export const exportEvents = [exportsEvent, exportConsentEvent] as const;

export const endpoints = [getExports, createExport, removeExport, getExportConsents];
