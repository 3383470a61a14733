/** Imports: the history of another chat, from the file that it exported, for the organization's owners. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

export const importStates = [
  "uploading",
  "inspecting",
  "refused",
  "ready",
  "running",
  "failed",
  "finished",
  "canceled",
  "expired",
] as const;
export const unthreadedRules = ["month", "day", "single"] as const;
export const importAccounts = ["existing", "new", "inactive"] as const;
export const importActions = ["new", "merge", "skip"] as const;

/** How many rows of a plan one request returns or changes. */
export const maxPlanRows = 1000;
export const maxImportIdLength = 500;

const counts = z.record(z.string(), z.int());

const inspection = z
  .strictObject({
    source: z.string().describe("The chat that wrote it, like `slack`."),
    organization: z.string().optional().describe("What the organization is called there."),
    people: z.strictObject({
      total: z.int(),
      with_address: z.int().describe("Who have an e-mail address."),
      inactive: z.int(),
      bots: z.int(),
      only_in_messages: z.int().describe("Who are not listed, but wrote something."),
    }),
    channels: z.strictObject({ public: z.int(), private: z.int(), archived: z.int() }),
    direct_conversations: z.int(),
    messages: z.strictObject({ total: z.int(), in_channels: z.int(), direct: z.int(), replies: z.int() }),
    threads: z.int(),
    first_message: z.string().nullable().describe("When the oldest was sent; null without messages."),
    last_message: z.string().nullable().describe("When the newest was sent; null without messages."),
    reactions: z.int(),
    emoji: z.int().describe("Custom emoji."),
    files: z.strictObject({
      in_archive: z.int(),
      missing: z.int().describe("Files that the export names and does not contain."),
      fetchable: z
        .int()
        .optional()
        .describe("How many of the missing files can be fetched from Slack with the export's token."),
      bytes: z.int(),
    }),
    skipped: counts.describe("What cannot be imported: how many by reason."),
    sample_topics: z.array(z.string()).describe("What some threads will be called."),
  })
  .meta({ id: "ImportInspection" });

const report = z
  .strictObject({
    imported: counts.describe("How many by kind."),
    skipped: counts.describe("What was left out: how many by reason."),
    examples: z.record(z.string(), z.array(z.string())).describe("A few IDs of the source for each reason."),
    remarks: z.array(z.string()).describe("What an administrator should know."),
  })
  .meta({ id: "ImportReport" });
export type ImportReport = z.output<typeof report>;

const progress = z.strictObject({
  phase: z.string().describe("What is being done, like `messages`."),
  done: z.int(),
  total: z.int().describe("0 if unknown."),
  per_second: z.number().describe("The rate in this phase so far."),
});

const realmImport = z
  .strictObject({
    id: z.int(),
    acting_user_id: z.int().describe("Who uploads the file."),
    file_name: z.string(),
    size: z.int().describe("Of the file, in bytes."),
    state: z
      .enum(importStates)
      .describe(
        "`uploading`; `inspecting`; `refused` (it cannot be imported); `ready` to run; `running`; `failed` (it can be run " +
          "again, and continues); `finished`; `canceled`; `expired` (it was not run for too long).",
      ),
    upload_url: z
      .string()
      .nullable()
      .describe("Where the file is uploaded to with the tus protocol, by the acting user; null once it is complete."),
    created_timestamp: z.int(),
    finished_timestamp: z.int().nullable().describe("When it ended in whatever way; null before that."),
    unthreaded: z
      .enum(unthreadedRules)
      .describe("Messages outside of threads get a topic for each `month` or `day`, or a `single` one."),
    plan_revision: z.int().describe("Grows with each change of the plan."),
    inspection: inspection.nullable().describe("What the file contains; null until it was inspected."),
    progress: progress.nullable().describe("While it is inspected or run."),
    reason: z.string().nullable().describe("Why it was refused or failed."),
    report: report.nullable().describe("What was done; null until it is finished."),
  })
  .meta({ id: "RealmImport" });
export type RealmImport = z.output<typeof realmImport>;

const sourceId = textUpTo(maxImportIdLength);

const plannedPerson = z
  .strictObject({
    number: z.int().describe("Its place in the list, from 1."),
    id: z.string().describe("The source's ID."),
    name: z.string(),
    email: z.string().nullable().describe("The address of the account; null if there is none."),
    account: z
      .enum(importAccounts)
      .describe(
        "An `existing` account is used as it is, a `new` one created, or an `inactive` one that nobody can use.",
      ),
    is_bot: z.boolean(),
    is_active: z.boolean().describe("Whether the account is active in the source."),
  })
  .meta({ id: "ImportPerson" });
export type PlannedPerson = z.output<typeof plannedPerson>;

const plannedChannel = z
  .strictObject({
    number: z.int().describe("Its place in the list, from 1."),
    id: z.string().describe("The source's ID."),
    source_name: z.string().describe("Its name in the source."),
    name: z.string().describe("The name of a new channel."),
    action: z.enum(importActions).describe("Create a `new` channel, `merge` it into an existing one, or `skip` it."),
    into: z.string().nullable().describe("The name of the existing channel; null unless it is merged."),
    is_private: z.boolean(),
    is_archived: z.boolean(),
    members: z.int(),
  })
  .meta({ id: "ImportChannel" });
export type PlannedChannel = z.output<typeof plannedChannel>;

/** Somebody or a channel that stays as planned before. */
const refusedChange = z
  .strictObject({ id: z.string().describe("The source's ID."), reason: z.string() })
  .meta({ id: "RefusedImportChange" });
export type RefusedChange = z.output<typeof refusedChange>;

const area = "Server and organization";
const import_id = json(z.int()).describe("The import.");
const onlyOwners = "For owners.";

export const getImports = endpoint({
  operation: "get-realm-imports",
  method: "GET",
  path: "/import/realm",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get imports",
  description: `The latest imports of another chat's history. ${onlyOwners}`,
  params: {},
  returns: {
    imports: z.array(realmImport).describe("Newest first."),
    max_bytes: z.int().describe("How large a file may be; 0 if the server's operator does not permit uploads."),
    days_kept: z.int().describe("How long a file is kept that is not imported."),
  },
});

export const createImport = endpoint({
  operation: "create-realm-import",
  method: "POST",
  path: "/import/realm",
  auth: "user",
  scope: "admin",
  area,
  summary: "Start an import",
  description:
    "Announce the file that another chat exported. It is then uploaded to `upload_url` with the tus protocol (version 1.0.0), in " +
    `parts, and inspected. An organization has one import at a time. ${onlyOwners}`,
  params: {
    file_name: textUpTo(255).describe("Its name."),
    size: json(z.int().min(1)).describe("Its size in bytes."),
  },
  returns: {
    id: z.int().describe("The new import."),
    upload_url: z.string().describe("Where to upload the file."),
  },
});

export const inspectImport = endpoint({
  operation: "inspect-realm-import",
  method: "POST",
  path: "/import/realm/{import_id}/inspect",
  auth: "user",
  scope: "admin",
  area,
  summary: "Inspect an uploaded file",
  description:
    "Find out what a completely uploaded file contains, and draft the plan of its import. Events report the progress. " +
    onlyOwners,
  params: { import_id },
  returns: {},
});

export const getImportPlan = endpoint({
  operation: "get-realm-import-plan",
  method: "GET",
  path: "/import/realm/{import_id}/plan",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get the plan of an import",
  description: `What will become of people and channels, in pages. ${onlyOwners}`,
  params: {
    import_id,
    after: json(z.int().min(0)).default(0).describe("The number after which both lists begin."),
  },
  returns: {
    people: z.array(plannedPerson).describe(`At most ${maxPlanRows}.`),
    channels: z.array(plannedChannel).describe(`At most ${maxPlanRows}.`),
    plan_revision: z.int(),
    is_last: z.boolean().describe("Whether neither list continues."),
  },
});

export const updateImportPlan = endpoint({
  operation: "update-realm-import-plan",
  method: "PATCH",
  path: "/import/realm/{import_id}/plan",
  auth: "user",
  scope: "admin",
  area,
  summary: "Change the plan of an import",
  description:
    "Decide what will become of some people and channels. What cannot be done is returned with the reason, and the rest is changed. " +
    onlyOwners,
  params: {
    import_id,
    unthreaded: z
      .enum(unthreadedRules)
      .optional()
      .describe("Messages outside of threads get a topic for each `month` or `day`, or a `single` one."),
    people: json(
      list(
        z.strictObject({
          id: sourceId,
          account: z.enum(importAccounts),
          email: textUpTo(254).optional().describe("Another address than the source's."),
        }),
        maxPlanRows,
      ),
    )
      .optional()
      .describe("People, with the account that each gets."),
    channels: json(
      list(
        z.strictObject({
          id: sourceId,
          action: z.enum(importActions),
          name: textUpTo(60).optional().describe("The name of a new channel."),
          into: textUpTo(60).optional().describe("The name of the existing channel to merge it into."),
        }),
        maxPlanRows,
      ),
    )
      .optional()
      .describe("Channels, with what becomes of each."),
  },
  returns: {
    plan_revision: z.int().describe("Unchanged if nothing was changed."),
    refused_people: z.array(refusedChange).describe("People who cannot get the account that was asked for."),
    refused_channels: z.array(refusedChange).describe("Channels of which this cannot become."),
  },
});

export const runImport = endpoint({
  operation: "run-realm-import",
  method: "POST",
  path: "/import/realm/{import_id}/run",
  auth: "user",
  scope: "admin",
  area,
  summary: "Run an import",
  description:
    "Import as planned. It cannot be canceled or undone. Events report the progress. One that failed continues where it " +
    `stopped. ${onlyOwners}`,
  params: {
    import_id,
    fetch_files: json(z.boolean())
      .default(false)
      .describe(
        "Whether to fetch files that an export of Slack only links to, with the token in its links. Only if the inspection found any.",
      ),
  },
  returns: {},
});

export const cancelImport = endpoint({
  operation: "cancel-realm-import",
  method: "DELETE",
  path: "/import/realm/{import_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Cancel an import",
  description:
    "Delete the file and the plan of an import that is not running. What a failed import has stored already stays. " +
    onlyOwners,
  params: { import_id },
  returns: {},
});

export const getImportReport = endpoint({
  operation: "get-realm-import-report",
  method: "GET",
  path: "/import/realm/{import_id}/report",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get the report of an import",
  description: `The report of a finished import, also as a text. ${onlyOwners}`,
  params: { import_id },
  returns: { report, markdown: z.string().describe("The same in Markdown.") },
});

export const importsEvent = z.strictObject({ type: z.literal("realm_import"), import: realmImport });

export const importEvents = [importsEvent] as const;

export const endpoints = [
  getImports,
  createImport,
  inspectImport,
  getImportPlan,
  updateImportPlan,
  runImport,
  getImportReport,
  cancelImport,
];
