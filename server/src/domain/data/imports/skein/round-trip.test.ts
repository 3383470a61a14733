import { beforeAll, expect, test } from "vitest";
import { contentOf, exportEverything } from "../../../../../test/exported-content.ts";
import { fullOrganization } from "../../../../../test/full-organization.ts";
import { newRealm } from "../../../../../test/realm.ts";
import { openSource } from "../open.ts";
import type { Report } from "../run/report.ts";
import { runImport } from "../run/run.ts";

type Content = Awaited<ReturnType<typeof contentOf>>;
let before: Content;
let after: Content;
let report: Report;

/** Imports an organization into a new one, and exports that. */
beforeAll(async () => {
  const { realm } = await fullOrganization();
  const path = await exportEverything(realm);
  const copy = await newRealm();
  report = await runImport(copy.ctx, {
    realmId: copy.id,
    open: (noteSkipped) => openSource(path, { noteSkipped }),
    fingerprint: path,
  });
  before = await contentOf(path);
  after = await contentOf(await exportEverything(copy), { without: [copy.admin.email] });
});

test.for([
  "organization",
  "people",
  "channels",
  "subscriptions",
  "directs",
  "messages",
  "emoji",
  "groups",
  "linkifiers",
  "fields",
  "playgrounds",
  "domains",
  "channelSets",
  "scheduled",
  "visibility",
  "alertWords",
  "muted",
  "snippets",
  "drafts",
  "files",
  "webhooks",
  "settings",
] as const)("%s are the same after an export and an import", (kind) => {
  expect(before[kind].length).toBeGreaterThan(0);
  expect(after[kind]).toEqual(before[kind]);
});

test("nothing is left out", () => {
  expect(report.skipped).toEqual({});
  expect(report.remarks).toEqual([]);
});
