/** The screens of an import, from what a server would return in each of its states. */
import type { Page } from "playwright-core";
import type { PlannedChannel, PlannedPerson, RealmImport } from "@skein/api/imports.ts";

const inspection: NonNullable<RealmImport["inspection"]> = {
  source: "slack",
  organization: "Lantern Bay",
  people: { total: 6, with_address: 5, inactive: 1, bots: 1, only_in_messages: 2 },
  channels: { public: 3, private: 1, archived: 1 },
  direct_conversations: 12,
  messages: { total: 48_210, in_channels: 41_002, direct: 7208, replies: 19_544 },
  threads: 3120,
  first_message: "2021-03-01T08:12:00Z",
  last_message: "2026-11-13T17:40:00Z",
  reactions: 10_233,
  emoji: 42,
  files: { in_archive: 0, missing: 911, bytes: 0 },
  skipped: { system_message: 2210, file_not_in_archive: 911 },
  sample_topics: ["Which lamp oil for the winter?", "✔ Invoice of the glazier", "Fog signal: who has the key"],
};

const report: NonNullable<RealmImport["report"]> = {
  imported: {
    messages: 48_210,
    notices: 3131,
    users: 5,
    stub_users: 2,
    bots: 1,
    channels: 4,
    files: 0,
    emoji: 42,
    reactions: 10_233,
    settings: 0,
  },
  skipped: { system_message: 2210, file_not_in_archive: 911 },
  examples: { system_message: ["C04LAMP:1614586320.000200"], file_not_in_archive: ["F07A1B2C3", "F07A1B2C4"] },
  remarks: ["2 people have no e-mail address: their accounts are inactive."],
};

const names = ["Ines Calder", "Tomasz Wren", "Dov Marsh", "Priya Nair", "Lena Okafor", "Tide Bot"];
const people = names.map((name, index): PlannedPerson => ({
  number: index + 1,
  id: `U${index + 1}`,
  name,
  email: index === 5 ? null : `${name.toLowerCase().replace(" ", ".")}@lantern.example`,
  account: index === 0 ? "existing" : index === 2 || index === 5 ? "inactive" : "new",
  is_bot: index === 5,
  is_active: index !== 2,
}));
const channels = ["announcements", "lamp-room", "keepers", "old-harbour"].map((source_name, index): PlannedChannel => ({
  number: index + 1,
  id: `C${index + 1}`,
  source_name,
  name: index === 1 ? "lamp room" : source_name,
  action: index === 0 ? "merge" : index === 3 ? "skip" : "new",
  into: index === 0 ? "announcements" : null,
  is_private: index === 2,
  is_archived: index === 3,
  members: 6 - index,
}));

const importIn = (userId: number, state: RealmImport["state"], more: Partial<RealmImport> = {}): RealmImport => ({
  id: 7,
  acting_user_id: userId,
  file_name: "Lantern Bay Slack export.zip",
  size: 68_157_440,
  state,
  upload_url: null,
  created_timestamp: 1_794_646_800,
  finished_timestamp: null,
  unthreaded: "month",
  plan_revision: 0,
  inspection,
  progress: null,
  reason: null,
  report: null,
  ...more,
});

export interface ImportScreen {
  name: string;
  of: (userId: number) => RealmImport;
  /** The text that shows that it has loaded. */
  ready: string;
  /** It has a bar that never stands still, so there is no picture of it. */
  moves?: true;
  act?: (page: Page) => Promise<unknown>;
}

const openTab = (name: string) => async (page: Page) => {
  await page.getByRole("tab", { name: new RegExp(name) }).click();
  await page.getByRole("button", { name: "Run import…" }).scrollIntoViewIfNeeded();
};

export const importScreens: readonly ImportScreen[] = [
  {
    name: "interrupted",
    ready: "The upload was interrupted",
    of: (id) => importIn(id, "uploading", { upload_url: "/api/v1/tus/7", inspection: null }),
  },
  {
    name: "inspecting",
    moves: true,
    ready: "18,000 messages so far",
    of: (id) =>
      importIn(id, "inspecting", {
        inspection: null,
        progress: { phase: "inspecting", done: 18_000, total: 0, per_second: 9000 },
      }),
  },
  { name: "ready", ready: "Ines Calder", of: (id) => importIn(id, "ready") },
  { name: "people", ready: "Ines Calder", of: (id) => importIn(id, "ready"), act: openTab("People") },
  {
    name: "person",
    ready: "Ines Calder",
    of: (id) => importIn(id, "ready"),
    act: async (page) => {
      await page.getByText("Tomasz Wren").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "refused-changes",
    ready: "Ines Calder",
    of: (id) => importIn(id, "ready"),
    act: async (page) => {
      await page.getByRole("checkbox", { name: "Select Dov Marsh" }).check();
      await page.getByRole("checkbox", { name: "Select Priya Nair" }).check();
      await page.getByRole("button", { name: "New account" }).click();
      await page.getByRole("alert").scrollIntoViewIfNeeded();
    },
  },
  { name: "channels", ready: "Ines Calder", of: (id) => importIn(id, "ready"), act: openTab("Channels") },
  {
    name: "channel",
    ready: "Ines Calder",
    of: (id) => importIn(id, "ready"),
    act: async (page) => {
      await openTab("Channels")(page);
      await page.getByText("keepers").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "run",
    ready: "Ines Calder",
    of: (id) => importIn(id, "ready"),
    act: async (page) => {
      await page.getByRole("button", { name: "Run import…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "running",
    ready: "You can leave this page",
    of: (id) =>
      importIn(id, "running", { progress: { phase: "messages", done: 21_500, total: 51_341, per_second: 143.2 } }),
  },
  {
    name: "failed",
    ready: "The import stopped",
    of: (id) =>
      importIn(id, "failed", { reason: "The plan merges announcements into announcements, which does not exist." }),
  },
  {
    name: "refused",
    ready: "Refused",
    of: (id) =>
      importIn(id, "refused", {
        inspection: null,
        finished_timestamp: 1_794_646_920,
        reason: "This is not an export of Slack, Mattermost, Zulip, Rocket.Chat or Skein.",
      }),
  },
  {
    name: "report",
    ready: "Lines of the Notification Bot",
    of: (id) => importIn(id, "finished", { finished_timestamp: 1_794_648_000, report }),
  },
];

/** Shows the page of imports with an import in this state. Its requests are answered here, and change nothing. */
export async function showImport(page: Page, screen: ImportScreen, userId: number): Promise<void> {
  const success = { result: "success", msg: "" };
  const answer = { imports: [screen.of(userId)], max_bytes: 10 * 1024 ** 3, days_kept: 7 };
  await page.unrouteAll();
  await page.route(/\/json\/import\/realm$/, (route) => route.fulfill({ json: { ...success, ...answer } }));
  await page.route(/\/json\/import\/realm\/7\/plan/, (route) =>
    route.fulfill({
      json:
        route.request().method() === "GET"
          ? { ...success, people, channels, plan_revision: 0, is_last: true }
          : {
              ...success,
              plan_revision: 1,
              refused_people: [
                {
                  id: "U3",
                  reason: "Dov Marsh is deactivated in the export. An administrator can reactivate them later.",
                },
              ],
              refused_channels: [],
            },
    }),
  );
  // It fetches when it is shown.
  await page.evaluate(() => (location.hash = "#organization/exports"));
  await page
    .locator("#main")
    .getByRole("button", { name: /export/i })
    .first()
    .waitFor();
  await page.evaluate(() => (location.hash = "#organization/imports"));
  await page.locator("#main").getByText(screen.ready).first().waitFor();
  await screen.act?.(page);
}
