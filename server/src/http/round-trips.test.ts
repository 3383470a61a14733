/**
 * How many statements each endpoint executes, and that the number is the same in a large organization as in a small one. A
 * separate node serves the counted requests; relay and jobs run on another. docs/performance.md has the same table, next to
 * the reference's numbers: `npx vitest run server/src/http/round-trips.test.ts -u` writes it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { endpoints } from "@skein/api/all.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { nodes } from "../../test/nodes.ts";
import type { TestRealm } from "../../test/realm.ts";
import { usualCalls, type UsualCall } from "../../test/round-trips/calls.ts";
import { newOrganization, type Organization } from "../../test/round-trips/organization.ts";

/** Statements of a typical call, including those that begin and end a transaction. */
const statements: Record<string, number> = {
  "send-message": 1,
  "render-message": 1,
  "get-message": 1,
  "get-messages": 2,
  "check-messages-match-narrow": 2,
  "update-message": 17,
  "get-message-history": 2,
  "delete-message": 13,
  "delete-topic": 15,
  "get-read-receipts": 1,
  "add-submessage": 9,
  "add-reaction": 12,
  "remove-reaction": 10,
  "report-message": 20,
  "update-message-flags": 1,
  "update-message-flags-for-narrow": 3,
  "mark-all-as-read": 3,
  "mark-stream-as-read": 5,
  "mark-topic-as-read": 7,
  "upload-file": 10,
  "get-file-temporary-url": 2,
  "get-attachments": 3,
  "remove-attachment": 7,
  "create-channel": 30,
  "get-streams": 5,
  "get-stream-by-id": 5,
  "get-stream-id": 2,
  "get-subscribers": 3,
  "get-stream-email-address": 3,
  "update-stream": 26,
  "archive-stream": 31,
  "get-stream-topics": 3,
  subscribe: 17,
  "get-subscriptions": 5,
  unsubscribe: 15,
  "update-subscriptions": 27,
  "update-subscription-settings": 6,
  "update-subscription-setting": 6,
  "get-subscription-status": 4,
  "get-user-channels": 3,
  "create-channel-folder": 8,
  "get-channel-folders": 2,
  "patch-channel-folders": 8,
  "update-channel-folder": 10,
  "add-default-stream": 12,
  "remove-default-stream": 12,
  "create-default-stream-group": 13,
  "update-default-stream-group": 12,
  "update-default-stream-group-streams": 14,
  "remove-default-stream-group": 12,
  "get-users": 2,
  "create-user": 34,
  "get-own-user": 3,
  "get-user": 2,
  "get-user-by-email": 2,
  "update-user": 22,
  "update-user-by-email": 15,
  "deactivate-user": 20,
  "deactivate-own-user": 21,
  "reactivate-user": 17,
  "upload-own-avatar": 7,
  "remove-own-avatar": 7,
  "update-own-profile-data": 7,
  "remove-own-profile-data": 7,
  "get-custom-profile-fields": 2,
  "create-custom-profile-field": 11,
  "reorder-custom-profile-fields": 10,
  "update-custom-profile-field": 12,
  "remove-custom-profile-field": 12,
  "get-user-groups": 4,
  "create-user-group": 25,
  "update-user-group": 12,
  "deactivate-user-group": 19,
  "update-user-group-members": 16,
  "get-user-group-members": 3,
  "get-is-user-group-member": 4,
  "update-user-group-subgroups": 17,
  "get-user-group-subgroups": 3,
  "get-invites": 3,
  "send-invites": 14,
  "create-invite-link": 9,
  "revoke-email-invite": 9,
  "revoke-invite-link": 9,
  "resend-email-invite": 12,
  "register-queue": 43,
  "get-events": 0,
  "delete-queue": 5,
  "fetch-api-key": 16,
  "regenerate-api-key": 9,
  "get-api-keys": 2,
  "create-api-key": 9,
  "update-api-key": 8,
  "delete-api-key": 9,
  "get-user-api-keys": 3,
  "delete-user-api-key": 12,
  "get-second-factors": 3,
  "start-totp": 6,
  "confirm-totp": 11,
  "remove-totp": 13,
  "regenerate-recovery-codes": 11,
  "get-passkey-challenge": 2,
  "start-passkey": 4,
  "add-passkey": 14,
  "update-passkey": 2,
  "remove-passkey": 15,
  "get-user-second-factors": 4,
  "reset-second-factors": 15,
  "get-sessions": 2,
  "get-scim-tokens": 2,
  "create-scim-token": 9,
  "delete-scim-token": 8,
  "get-scim-settings": 2,
  "update-scim-settings": 12,
  "get-audit-log": 2,
  "get-audit-actions": 1,
  "get-audit-destinations": 2,
  "create-audit-destination": 11,
  "update-audit-destination": 11,
  "delete-audit-destination": 10,
  "delete-session": 8,
  "delete-other-sessions": 6,
  "get-user-sessions": 3,
  "delete-user-session": 11,
  "get-identity-providers": 2,
  "create-identity-provider": 11,
  "update-identity-provider": 11,
  "delete-identity-provider": 11,
  "test-identity-provider": 2,
  "sync-identity-provider": 5,
  "get-server-settings": 2,
  "update-realm": 11,
  "test-welcome-bot-custom-message": 14,
  "get-realm-icon": 1,
  "upload-realm-icon": 10,
  "remove-realm-icon": 10,
  "get-realm-logo": 1,
  "upload-realm-logo": 10,
  "remove-realm-logo": 10,
  "get-realm-domains": 2,
  "add-realm-domain": 9,
  "update-realm-domain": 11,
  "remove-realm-domain": 12,
  "get-scheduled-messages": 2,
  "create-scheduled-message": 10,
  "update-scheduled-message": 11,
  "delete-scheduled-message": 7,
  "get-reminders": 2,
  "create-message-reminder": 11,
  "delete-reminder": 6,
  "get-navigation-views": 2,
  "add-navigation-view": 5,
  "edit-navigation-view": 7,
  "remove-navigation-view": 6,
  "update-settings": 6,
  "update-display-settings": 6,
  "update-notification-settings": 6,
  "update-realm-user-settings-defaults": 8,
  "get-alert-words": 2,
  "add-alert-words": 7,
  "remove-alert-words": 7,
  "get-saved-snippets": 2,
  "create-saved-snippet": 5,
  "edit-saved-snippet": 6,
  "delete-saved-snippet": 6,
  "add-apns-token": 5,
  "remove-apns-token": 2,
  "add-fcm-token": 5,
  "remove-fcm-token": 2,
  "get-web-push-key": 1,
  "add-web-push-subscription": 6,
  "remove-web-push-subscription": 2,
  "mute-user": 12,
  "unmute-user": 11,
  "get-linkifiers": 2,
  "add-linkifier": 11,
  "update-linkifier": 12,
  "remove-linkifier": 12,
  "reorder-linkifiers": 10,
  "add-code-playground": 10,
  "remove-code-playground": 11,
  "get-realm-exports": 2,
  "cancel-realm-import": 13,
  "create-realm-import": 9,
  "get-realm-import-plan": 4,
  "get-realm-import-report": 2,
  "get-realm-imports": 2,
  "inspect-realm-import": 15,
  "run-realm-import": 11,
  "update-realm-import-plan": 10,
  "export-realm": 12,
  "delete-realm-export": 13,
  "get-realm-export-consents": 2,
  "check-subdomain": 1,
  "finish-onboarding-step": 7,
  "run-slash-command": 6,
  "get-custom-emoji": 2,
  "upload-custom-emoji": 10,
  "deactivate-custom-emoji": 10,
  "get-bots": 2,
  "create-bot": 18,
  "update-bot": 19,
  "deactivate-bot": 23,
  "get-bot-api-key": 2,
  "regenerate-bot-api-key": 16,
  "get-bot-storage": 2,
  "update-bot-storage": 6,
  "remove-bot-storage": 5,
  "update-user-topic": 10,
  "mute-topic": 10,
  "update-status": 6,
  "update-status-for-user": 12,
  "get-user-status": 3,
  "get-drafts": 5,
  "create-drafts": 6,
  "edit-draft": 7,
  "delete-draft": 7,
  "update-presence": 2,
  "get-user-presence": 2,
  "get-presence": 2,
  "set-typing-status": 2,
  "set-typing-status-for-message-edit": 3,
};

/**
 * Queries that tests of the reference server assert for the same call. They are counted with empty caches, and without
 * those that begin and end transactions; where noted, also without HTTP and authentication.
 */
const reference: Record<string, string> = {
  "send-message": "13, a plain message to a channel, without HTTP",
  "get-messages": "1 for the ids and 7 to load them, without HTTP",
  "delete-message": "23–25, without HTTP",
  "update-message-flags": "4–6 only for access",
  "register-queue": "46, without HTTP",
  subscribe: "18",
  unsubscribe: "19, without HTTP",
  "get-subscriptions": "9, with subscribers, without HTTP",
  "get-streams": "7–10",
  "get-users": "4",
  "create-user": "86, with channels, without HTTP",
  "create-user-group": "9, without HTTP",
  "update-user-group-members": "14",
  "update-presence": "3 warm, 6 cold",
  "set-typing-status": "4",
};

const leftOut: Record<string, string> = {
  "test-notify": "asks a push service",
  "test-web-push": "asks a push service",
  "deactivate-realm": "would end the organization",
  "create-big-blue-button-video-call": "is refused",
  "create-zoom-call": "is refused",
  "create-constructor-groups-call": "is refused",
  "create-nextcloud-talk-call": "is refused",
  "get-messages-summary": "is refused",
  "dev-fetch-api-key": "is for development",
  "dev-list-users": "is for development",
  "jwt-fetch-api-key": "has to be configured, and does the same as fetch-api-key",
  "confirm-session": "is for browsers",
  "fetch-own-api-key": "is for browsers, and does the same as fetch-api-key",
};

const maxAttempts = 10;

/** The statements of the request that is being served; a node also executes statements of its own. */
const served = new AsyncLocalStorage<{ statements: number }>();

/** Counts the statements of requests apart from the node's own. Returns the count of the requests served since the last call. */
function countRequests({ ctx, url }: TestRealm["nodes"][number]): () => number {
  let requests: { statements: number }[] = [];
  const begin = (message: unknown) => {
    const { socket } = message as { socket: Socket }; // what Node.js says it publishes
    if (String(socket.localPort) !== new URL(url).port) return;
    const request = { statements: 0 };
    requests.push(request);
    served.enterWith(request);
  };
  subscribe("http.server.request.start", begin);
  onTestFinished(() => void unsubscribe("http.server.request.start", begin));
  const counter = ctx.metrics.statements;
  vi.spyOn(counter, "inc").mockImplementation(() => {
    const request = served.getStore();
    if (request) request.statements++;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return () => {
    const count = requests.reduce((sum, request) => sum + request.statements, 0);
    requests = [];
    return count;
  };
}

/** The expected number, or the lowest of several attempts: a node reloads an account whose change has not reached it yet. */
async function statementsOf(
  organization: Organization,
  prepare: UsualCall,
  expected: number,
  counted: () => number,
): Promise<number> {
  let fewest = Infinity;
  for (let attempt = 0; attempt < maxAttempts && fewest > expected; attempt++) {
    const call = await prepare(organization, attempt);
    counted();
    await call();
    fewest = Math.min(fewest, counted());
  }
  return fewest;
}

async function countAll(organization: Organization): Promise<Record<string, number>> {
  const counts: [string, number][] = [];
  const [, node] = organization.realm.nodes;
  if (!node) throw new Error("a second node is needed");
  const counted = countRequests(node);
  for (const [operation, call] of usualCalls) {
    try {
      counts.push([operation, await statementsOf(organization, call, statements[operation] ?? 0, counted)]);
    } catch (error) {
      throw new Error(`${operation} could not be counted`, { cause: error });
    }
  }
  return Object.fromEntries(counts);
}

/** What differs, one line each: the object as a whole is too large for a message that a reader could act on. */
function surprises(counts: Record<string, number>): string[] {
  return Object.keys({ ...statements, ...counts })
    .filter((operation) => counts[operation] !== statements[operation])
    .map((operation) => `${operation}: ${counts[operation]} instead of ${statements[operation]}`);
}

const page = join(import.meta.dirname, "../../../docs/performance.md");
const [begin, end] = ["<!-- counts -->\n", "<!-- end of counts -->"];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The page with the table generated from the numbers above. */
function withTable(text: string): string {
  const rows = endpoints
    .filter(({ operation }) => operation in statements)
    .toSorted((a, b) => (a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path)))
    .map(
      ({ method, path, operation }) =>
        `| \`${method} ${path}\` | ${statements[operation]} | ${reference[operation] ?? ""} |\n`,
    );
  const table = ["| Call | Statements | Reference |\n", "|---|---|---|\n", ...rows].join("");
  const [before = "", rest = ""] = text.split(begin);
  return `${before}${begin}\n${table}\n${end}${rest.split(end)[1] ?? ""}`;
}

test("docs/performance.md has the same numbers", async () => {
  await expect(withTable(await readFile(page, "utf8"))).toMatchFileSnapshot(page);
});

test("every endpoint is counted, or there is a reason why not", () => {
  const all = endpoints.map(({ operation }) => operation);

  expect([...Object.keys(statements), ...Object.keys(leftOut)].toSorted()).toEqual(all.toSorted());
});

test("each call executes the expected number of statements", { timeout: 300_000 }, async () => {
  const organization = await newOrganization([...(await nodes())], { users: 8, channels: 9, messages: 10 });

  expect(surprises(await countAll(organization))).toEqual([]);
});

test(
  "the number is the same in an organization of 10,000 people and 1,000 channels",
  { timeout: 600_000 },
  async () => {
    const size = { users: 10_000, channels: 1000, messages: 10_000 };
    const organization = await newOrganization([...(await nodes())], size);

    expect(surprises(await countAll(organization))).toEqual([]);
  },
);
