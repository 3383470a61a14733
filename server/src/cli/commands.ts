/**
 * The list of commands: name, one-sentence description, and the file that implements it, which is loaded only when the
 * command runs. A name's first word is its group; a group's commands are in a folder of that name.
 */
import type { Command } from "./command.ts";

export interface Listed {
  summary: string;
  load: () => Promise<Command>;
}

export const commands: Record<string, Listed> = {
  "cell add": {
    summary: "Add a cell to the directory: a PostgreSQL, NATS and nodes with organizations of their own.",
    load: async () => (await import("./cell/add.ts")).cellAdd,
  },
  "cell list": {
    summary: "List the cells of the directory.",
    load: async () => (await import("./cell/list.ts")).cellList,
  },
  "channel list": {
    summary: "List an organization's channels.",
    load: async () => (await import("./channel/list.ts")).channelList,
  },
  "channel archive": {
    summary: "Archive a channel: its messages stay readable, but nobody can write in it or join it.",
    load: async () => (await import("./channel/archive.ts")).channelArchive,
  },
  "channel unarchive": {
    summary: "Make an archived channel active again.",
    load: async () => (await import("./channel/archive.ts")).channelUnarchive,
  },
  "audit tail": {
    summary: "Print the newest entries of an organization's audit log, or all of them, as lines of JSON.",
    load: async () => (await import("./audit/audit.ts")).auditTail,
  },
  "audit verify": {
    summary: "Check that no entry of an organization's audit log was changed or removed.",
    load: async () => (await import("./audit/audit.ts")).auditVerify,
  },
  "backup check": {
    summary: "Check that everything needed for an exact restore is there: database, write-ahead log, files, secrets.",
    load: async () => (await import("./backup/check.ts")).backupCheck,
  },
  config: {
    summary: "List all settings of a server: environment variable, meaning, default and current value.",
    load: async () => (await import("./config.ts")).config,
  },
  dev: {
    summary: "Start a complete server on this machine with a new organization, and print how to reach it.",
    load: async () => (await import("./dev.ts")).dev,
  },
  doctor: {
    summary:
      "Check the settings and everything the server depends on, and say what to do. The exit code is 1 if a check fails.",
    load: async () => (await import("./doctor/doctor.ts")).doctor,
  },
  health: {
    summary: "Show whether the server process on this machine is ready. The exit code is 1 if it is not.",
    load: async () => (await import("./health.ts")).health,
  },
  "import inspect": {
    summary: "Show what an export of another chat or server contains, and what of it cannot be imported.",
    load: async () => (await import("./import/inspect.ts")).importInspect,
  },
  "import plan": {
    summary: "Print the plan of an import, to be edited.",
    load: async () => (await import("./import/plan.ts")).importPlan,
  },
  "import run": {
    summary: "Import the history of another chat into an organization, while the server runs.",
    load: async () => (await import("./import/run.ts")).importRun,
  },
  "import abandon": {
    summary: "Give up an import that is not finished. What it has imported so far stays.",
    load: async () => (await import("./import/abandon.ts")).importAbandon,
  },
  "ldap sync": {
    summary: "Bring accounts in line with their organization's LDAP directory, or show what would change.",
    load: async () => (await import("./ldap/sync.ts")).ldapSync,
  },
  "log status": {
    summary: "Show the state of the event log, and what is wrong with it. The exit code is 1 if anything is.",
    load: async () => (await import("./log/status.ts")).logStatus,
  },
  "log new-epoch": {
    summary: "Begin a new epoch of the event log: all clients register again. Safe while servers run.",
    load: async () => (await import("./log/new-epoch.ts")).logNewEpoch,
  },
  "jobs list": {
    summary: "Show how many jobs there are of each kind, or list jobs with their last error.",
    load: async () => (await import("./jobs/list.ts")).jobsList,
  },
  "jobs retry": {
    summary: "Run failed jobs again.",
    load: async () => (await import("./jobs/retry.ts")).jobsRetry,
  },
  "maintenance on": {
    summary: "Make the server read-only, with a message that clients show.",
    load: async () => (await import("./maintenance/maintenance.ts")).maintenanceOn,
  },
  "maintenance off": {
    summary: "Accept changes again.",
    load: async () => (await import("./maintenance/maintenance.ts")).maintenanceOff,
  },
  "maintenance status": {
    summary: "Show whether the server is read-only.",
    load: async () => (await import("./maintenance/maintenance.ts")).maintenanceStatus,
  },
  "message purge": {
    summary: "Delete messages for good: by channel, topic, sender, time or ID.",
    load: async () => (await import("./message/purge.ts")).messagePurge,
  },
  migrate: {
    summary: "Apply this release's migrations to the database.",
    load: async () => (await import("./migrate.ts")).migrate,
  },
  "realm create": {
    summary: "Create an organization.",
    load: async () => (await import("./realm/create.ts")).realmCreate,
  },
  "realm list": {
    summary: "List all organizations.",
    load: async () => (await import("./realm/list.ts")).realmList,
  },
  "realm show": {
    summary: "Show an organization: its names, people, channels, messages and files.",
    load: async () => (await import("./realm/show.ts")).realmShow,
  },
  "realm rename": {
    summary: "Change an organization's display name, short name or host name.",
    load: async () => (await import("./realm/rename.ts")).realmRename,
  },
  "realm deactivate": {
    summary: "Deactivate an organization: nobody can access it any more. It keeps its data, and can be reactivated.",
    load: async () => (await import("./realm/activation.ts")).realmDeactivate,
  },
  "realm reactivate": {
    summary: "Reactivate a deactivated organization.",
    load: async () => (await import("./realm/activation.ts")).realmReactivate,
  },
  "realm sign-in": {
    summary: "Show how people can sign in to an organization, or accept every way again.",
    load: async () => (await import("./realm/sign-in.ts")).realmSignIn,
  },
  "realm export": {
    summary: "Export an organization's data to a file, for another server, for Zulip, or to keep.",
    load: async () => (await import("./realm/export.ts")).realmExport,
  },
  "realm move": {
    summary: "Move an organization to another cell while people use it.",
    load: async () => (await import("./realm/move.ts")).realmMove,
  },
  "realm delete": {
    summary: "Delete an organization with all its data and files, forever.",
    load: async () => (await import("./realm/delete.ts")).realmDelete,
  },
  "restore verify": {
    summary: "Check a restored database and its files, and say what clients will notice.",
    load: async () => (await import("./restore/verify.ts")).restoreVerify,
  },
  router: {
    summary: "Run a router in front of several cells until it receives SIGTERM or SIGINT.",
    load: async () => (await import("./router.ts")).router,
  },
  "secret rotate": {
    summary: "Replace the server's secret: encrypt stored keys and tokens with the new one.",
    load: async () => (await import("./secret/rotate.ts")).secretRotate,
  },
  serve: {
    summary: "Run a server process until it receives SIGTERM or SIGINT. `skein config` lists its settings.",
    load: async () => (await import("./serve.ts")).serve,
  },
  "services start": {
    summary: "Start a private PostgreSQL and NATS from the installed programs, and print their URLs.",
    load: async () => (await import("./services.ts")).servicesStart,
  },
  "services stop": {
    summary: "Stop them and wait until they have exited. Their data is kept.",
    load: async () => (await import("./services.ts")).servicesStop,
  },
  "services status": {
    summary: "Show whether they are running, and their URLs.",
    load: async () => (await import("./services.ts")).servicesStatus,
  },
  stats: {
    summary: "Show figures: people, activity, messages per day, storage.",
    load: async () => (await import("./stats.ts")).stats,
  },
  "support-bundle": {
    summary: "Write a file with what helps to find a problem, without secrets and personal data.",
    load: async () => (await import("./support/bundle.ts")).supportBundle,
  },
  "user list": {
    summary: "List an organization's accounts.",
    load: async () => (await import("./user/list.ts")).userList,
  },
  "user show": {
    summary: "Show an account: its role, sessions, keys, channels, groups and messages.",
    load: async () => (await import("./user/show.ts")).userShow,
  },
  "user create": {
    summary: "Create an account.",
    load: async () => (await import("./user/create.ts")).userCreate,
  },
  "user role": {
    summary: "Change an account's role: owner, administrator, moderator, member, guest.",
    load: async () => (await import("./user/role.ts")).userRole,
  },
  "user email": {
    summary: "Change an account's e-mail address.",
    load: async () => (await import("./user/email.ts")).userEmail,
  },
  "user password-reset": {
    summary: "Mail a link for choosing a new password, or print it.",
    load: async () => (await import("./user/password-reset.ts")).userPasswordReset,
  },
  "user second-factor-reset": {
    summary: "Remove the authenticator app and the recovery codes of somebody who has lost them.",
    load: async () => (await import("./user/second-factor-reset.ts")).userSecondFactorReset,
  },
  "user sessions": {
    summary: "List an account's browser sessions and API keys, or revoke them.",
    load: async () => (await import("./user/sessions.ts")).userSessions,
  },
  "user api-key": {
    summary: "Create an API key for an account and print it, or revoke all its keys.",
    load: async () => (await import("./user/api-key.ts")).userApiKey,
  },
  "user grant": {
    summary: "Grant an account a permission that no role includes: can_create_users or can_change_user_emails.",
    load: async () => (await import("./user/grant.ts")).userGrant,
  },
  "user deactivate": {
    summary: "Deactivate an account. It keeps its data, and can be reactivated.",
    load: async () => (await import("./user/activation.ts")).userDeactivate,
  },
  "user reactivate": {
    summary: "Reactivate a deactivated account.",
    load: async () => (await import("./user/activation.ts")).userReactivate,
  },
  "user merge": {
    summary: "Merge two accounts of the same person: everything of one then belongs to the other.",
    load: async () => (await import("./user/merge.ts")).userMerge,
  },
  "user erase": {
    summary: "Erase a person's data forever. Their messages are kept, or deleted with --delete-messages.",
    load: async () => (await import("./user/erase.ts")).userErase,
  },
  "vapid-keys": {
    summary: "Create the VAPID key for browser notifications. It is printed once and not stored.",
    load: async () => (await import("./vapid-keys.ts")).vapidKeys,
  },
  version: {
    summary: "Print the release and the commit it was built from.",
    load: async () => (await import("./version.ts")).version,
  },
};
