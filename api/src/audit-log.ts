/** The audit log: who changed what about the organization, and who signed in. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

const area = "Audit log";

/** Unix seconds up to the year 9999: dates far beyond that cannot be represented. */
const moment = z.int().min(0).max(253_402_300_799);

/** What is recorded. The part before the dot is usually the kind of the target. */
export const auditActions = [
  "user.create",
  "user.update",
  "user.update_role",
  "user.update_profile_data",
  "user.deactivate",
  "user.reactivate",
  "user.reset_password",
  "user.merge",
  "user.erase",
  "bot.create",
  "bot.update",
  "bot.update_role",
  "bot.regenerate_api_key",
  "bot.deactivate",
  "bot.reactivate",
  "user_group.create",
  "user_group.update",
  "user_group.update_permission",
  "user_group.add_members",
  "user_group.remove_members",
  "user_group.update_members",
  "user_group.deactivate",
  "user_group.reactivate",
  "channel.create",
  "channel.update",
  "channel.update_privacy",
  "channel.update_permission",
  "channel.subscribe",
  "channel.unsubscribe",
  "channel.archive",
  "channel.unarchive",
  "topic.delete",
  "default_channel.add",
  "default_channel.remove",
  "default_channel_group.create",
  "default_channel_group.update",
  "default_channel_group.delete",
  "channel_folder.create",
  "channel_folder.update",
  "channel_folder.reorder",
  "realm.update",
  "realm.update_permission",
  "realm.create",
  "realm.deactivate",
  "realm.reactivate",
  "realm_user_settings_defaults.update",
  "realm_domain.create",
  "realm_domain.update",
  "realm_domain.delete",
  "identity_provider.create",
  "identity_provider.update",
  "identity_provider.delete",
  "profile_field.create",
  "profile_field.update",
  "profile_field.delete",
  "profile_field.reorder",
  "linkifier.create",
  "linkifier.update",
  "linkifier.delete",
  "linkifier.reorder",
  "playground.create",
  "playground.delete",
  "emoji.create",
  "emoji.delete",
  "invitation.create",
  "invitation.create_link",
  "invitation.resend",
  "invitation.revoke",
  "message.delete",
  "message.purge",
  "export.create",
  "export.delete",
  "import.create",
  "import.update",
  "import.inspect",
  "import.run",
  "import.cancel",
  "audit_destination.create",
  "audit_destination.update",
  "audit_destination.delete",
  "api_key.create",
  "api_key.update",
  "api_key.delete",
  "api_key.regenerate",
  "session.delete",
  "second_factor.enable",
  "second_factor.disable",
  "second_factor.regenerate_recovery_codes",
  "second_factor.reset",
  "second_factor.failure",
  "scim_token.create",
  "scim_token.delete",
  "scim.update",
  "sign_in.success",
  "sign_in.failure",
] as const;
export type AuditAction = (typeof auditActions)[number];

export const auditTargets = [
  "user",
  "bot",
  "user_group",
  "channel",
  "default_channel_group",
  "channel_folder",
  "realm",
  "realm_domain",
  "identity_provider",
  "profile_field",
  "linkifier",
  "playground",
  "emoji",
  "invitation",
  "message",
  "export",
  "import",
  "audit_destination",
  "api_key",
  "session",
  "scim_token",
] as const;
export type AuditTarget = (typeof auditTargets)[number];

const fields = (description: string) => z.record(z.string(), z.unknown()).nullable().describe(description);

export const auditEntry = z.strictObject({
  id: z.int().describe("1, 2, 3, … in each organization."),
  at: z.int().describe("When, in Unix seconds."),
  actor: z
    .strictObject({
      kind: z
        .enum(["user", "bot", "scim", "identity_provider", "operator", "system", "anonymous"])
        .describe(
          "scim: the organization's directory, by SCIM; identity_provider: a sync with its LDAP directory; operator: a command " +
            "on the server; anonymous: nobody was signed in.",
        ),
      id: z.int().nullable().describe("The ID of the account, of the directory's token, or of the identity provider."),
    })
    .describe("Who did it."),
  credential: z
    .strictObject({
      kind: z
        .enum(["api_key", "session", "scim_token"])
        .describe("A key, a browser that is signed in, or a token of the organization's directory."),
      id: z.int().describe("Its ID."),
    })
    .nullable()
    .describe("What they were signed in with."),
  ip: z.string().nullable().describe("The IP address the request came from."),
  action: z.string().describe("What was done; get-audit-actions lists all actions."),
  target: z
    .strictObject({
      kind: z.string().describe("What was changed."),
      id: z.int().nullable().describe("Its ID; null if there are several, or none."),
    })
    .describe("What was changed."),
  before: fields("The changed fields as they were before; null if there was nothing."),
  after: fields("The changed fields as they are now; null if there is nothing any more."),
  request_id: z.string().nullable().describe("The header X-Request-Id of the response."),
  prev_hash: z.string().describe("The hash of the entry before this one; 64 zeros in the first."),
  hash: z.string().describe("SHA-256 of this entry as JSON without `hash`, with sorted names and no spaces."),
});
export type AuditEntry = z.output<typeof auditEntry>;

const filters = {
  before: json(z.int().min(0)).optional().describe("Only entries with smaller IDs."),
  after: json(z.int().min(0)).optional().describe("Only entries with greater IDs."),
  action: json(list(textUpTo(100)))
    .optional()
    .describe("Only entries with these actions."),
  actor_id: json(z.int()).optional().describe("Only what this account did."),
  target_kind: textUpTo(100).optional().describe("Only changes of this kind of target."),
  target_id: json(z.int()).optional().describe("Only changes of this target; needs target_kind."),
  since: json(moment).optional().describe("Only entries from this time on, in Unix seconds."),
  until: json(moment).optional().describe("Only entries up to this time, in Unix seconds."),
};

export const getAuditLog = endpoint({
  operation: "get-audit-log",
  method: "GET",
  path: "/audit_log",
  auth: "user",
  scope: "admin",
  area,
  summary: "Read the audit log",
  description:
    "Administrative changes and sign-ins, the newest first. For administrators. Nobody can change or delete entries.",
  params: {
    ...filters,
    limit: json(z.int().min(1).max(1000)).default(100).describe("How many entries, at most 1000."),
  },
  returns: {
    entries: z.array(auditEntry).describe("The entries."),
    has_more: z.boolean().describe("Whether there are older entries that match."),
  },
});

export const exportAuditLog = endpoint({
  operation: "export-audit-log",
  method: "GET",
  path: "/audit_log/export",
  auth: "user",
  scope: "admin",
  area,
  summary: "Export the audit log",
  description:
    "All entries that match, the oldest first, as a text with one JSON object per line, in the form of GET /audit_log. It ends " +
    "with the entry that was the newest when the request arrived. If the connection ends early, continue with `after` and " +
    "the ID of the last whole line. For administrators.",
  params: filters,
  streamsLines: true,
  returns: {},
});

export const getAuditActions = endpoint({
  operation: "get-audit-actions",
  method: "GET",
  path: "/audit_log/actions",
  auth: "user",
  scope: "admin",
  area,
  summary: "List the actions of the audit log",
  description: "All actions that are recorded. For administrators.",
  params: {},
  returns: { actions: z.array(z.string()).describe("The actions.") },
});

export const auditEvents = [
  z.strictObject({ type: z.literal("audit_log"), op: z.literal("add"), entry: auditEntry }),
] as const;

export const endpoints = [getAuditLog, getAuditActions];

/** Without a JSON response: the typed clients cannot call it. */
export const streamEndpoints = [exportAuditLog];
