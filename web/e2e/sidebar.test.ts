/** The sidebar: folders that administrators make, and views that readers choose. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { getChannelFolders } from "@skein/api/channel-folders.ts";
import { getChannel } from "@skein/api/channels.ts";
import { getNavigationViews } from "@skein/api/navigation-views.ts";
import { roles } from "@skein/api/users.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { success } from "../../server/test/realm.ts";
import { complaintsAbout } from "./axe.ts";
import { goTo, newRealm, openClient, useClient } from "./client.ts";

useClient();

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const dialog = (page: Page) => page.getByRole("dialog");

/** The sections with channels, each with its rows. */
const sections = (page: Page): Promise<string[]> =>
  sidebar(page).evaluate((nav) =>
    [...nav.querySelectorAll("section")].slice(1).map((section) => {
      const rows = [...section.querySelectorAll("ul:not([hidden]) a")].map((row) => row.textContent);
      return [section.querySelector("h2")?.textContent, ...rows].join(" | ");
    }),
  );

test("folders are made, filled, ordered and archived in one window, and another one shows each change", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada", { role: roles.owner }), realm.user("bo")]);
  const design = await channelOf([ada, bo], "design");
  const soil = await channelOf([ada, bo], "soil");
  const [page, other] = await Promise.all([
    openClient(ada, { at: "#organization/channel-folders" }),
    openClient(bo, { at: "#inbox" }),
  ]);
  const create = async (name: string): Promise<void> => {
    await page.getByRole("button", { name: "Create a folder" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill(name);
    await dialog(page).getByRole("button", { name: "Create", exact: true }).click();
  };
  await page.getByText("No folders yet").waitFor();
  expect(await sections(other)).toEqual(["Channels | design | soil | All channels"]);

  await create("Teams");
  await create("teams");
  await dialog(page).getByText("Channel folder name already in use").waitFor();
  await dialog(page).getByLabel("Name", { exact: true }).fill("Places");
  await dialog(page)
    .getByRole("textbox", { name: /Description/ })
    .fill("Where we **are**");
  await dialog(page).getByRole("button", { name: "Create", exact: true }).click();
  await page.locator("#main").locator("strong", { hasText: "are" }).waitFor();
  expect(await complaintsAbout(page, { part: "#main" })).toEqual([]);

  for (const [channel, name] of [
    [design, "Teams"],
    [soil, "Places"],
  ] as const) {
    await goTo(page, `#channels/${channel.id}/${name}/general`);
    await page.getByLabel("Folder", { exact: true }).selectOption(name);
    await expect
      .poll(async () => success(await ada.call(getChannel, { stream_id: channel.id })).stream.folder_id)
      .not.toBeNull();
  }
  await expect
    .poll(() => sections(other))
    .toEqual(["Teams | design", "Places | soil", "Other channels | All channels"]);
  await sendToChannel(ada, soil, { topic: "clay", content: "Heavy" });
  await sendToChannel(ada, design, { topic: "logo", content: "Teal" });
  await expect
    .poll(() => other.locator("#main").getByRole("heading").allInnerTexts())
    .toEqual(["Inbox", "Teams", "design", "Places", "soil"]);
  expect(await complaintsAbout(other, {})).toEqual([]);

  await goTo(page, "#organization/channel-folders");
  await page.getByRole("button", { name: "Move Places" }).press("ArrowUp");
  await expect.poll(async () => (await sections(other))[0]).toBe("Places | soil1 unread1");
  await page.getByRole("button", { name: "Edit Places" }).click();
  await dialog(page).getByLabel("Name", { exact: true }).fill("Gardens");
  await dialog(page).getByRole("button", { name: "Save" }).click();

  // By keyboard, and remembered.
  const toggle = sidebar(other).getByRole("button", { name: /^Gardens/ });
  await toggle.press("Enter");
  await expect.poll(async () => (await sections(other))[0]).toBe("Gardens1 unread1");
  await other.reload();
  await toggle.waitFor();
  expect(await toggle.getAttribute("aria-expanded")).toBe("false");

  await goTo(page, `#channels/${soil.id}/soil/general`);
  await page.getByLabel("Folder", { exact: true }).selectOption("No folder");
  await expect
    .poll(() => sections(other))
    .toEqual(["Teams | design1 unread1", "Other channels | soil1 unread1 | All channels"]);
  await goTo(page, "#organization/channel-folders");
  expect(await page.getByRole("button", { name: "Archive Teams" }).count()).toBe(0);
  await page.getByRole("button", { name: "Archive Gardens" }).click();
  await page.getByRole("heading", { name: "Archived folders" }).waitFor();
  await expect
    .poll(async () => success(await ada.call(getChannelFolders, {})).channel_folders.map(({ name }) => name))
    .toEqual(["Teams"]);
  await page.getByRole("button", { name: "Bring back Gardens" }).click();
  await page.getByRole("heading", { name: "Archived folders" }).waitFor({ state: "detached" });

  await goTo(other, "#settings/preferences");
  await other.getByLabel("Show channels by folder in the sidebar").click();
  await other.getByLabel("Show channels by folder in the Inbox").click();
  await expect.poll(() => sections(other)).toEqual(["Channels | design1 unread1 | soil1 unread1 | All channels"]);
  await goTo(other, "#inbox");
  await expect
    .poll(() => other.locator("#main").getByRole("heading").allInnerTexts())
    .toEqual(["Inbox", "design", "soil"]);
});

const views = (page: Page): Promise<string[]> => sidebar(page).locator("ul").first().getByRole("link").allInnerTexts();

test("views are hidden, shown, added, renamed and removed in one window, and another one shows each change", async () => {
  const realm = await newRealm();
  const ada = await realm.user("ada");
  const channel = await channelOf([ada], "design");
  await sendToChannel(ada, channel, { topic: "logo", content: "Teal", readBySender: true });
  const at = `#narrow/channel/${channel.id}-design/topic/logo`;
  const [page, other] = await Promise.all([openClient(ada, { at }), openClient(ada, { at: "#inbox" })]);
  const usual = ["Inbox", "Mentions", "Starred", "Drafts & scheduled", "All messages"];
  await expect.poll(() => views(other)).toEqual(usual);
  await page.locator("#main").getByText("Teal").waitFor();

  await page.getByRole("button", { name: "You", exact: true }).click();
  await page.getByRole("menuitem", { name: "Views in the sidebar" }).click();
  await dialog(page).getByRole("checkbox", { name: "Starred" }).click();
  await dialog(page).getByRole("checkbox", { name: "Recent" }).click();
  await expect.poll(() => views(other)).toEqual([...usual.filter((name) => name !== "Starred"), "Recent"]);
  expect(await complaintsAbout(page, { part: "dialog[open]" })).toEqual([]);

  // By keyboard.
  const name = dialog(page).getByRole("textbox", { name: "Name" });
  expect(await name.inputValue()).toBe("#design › logo");
  await name.fill("The logo");
  await name.press("Enter");
  await sidebar(other).getByRole("link", { name: "The logo" }).waitFor();
  await dialog(page).getByText("The current page is one of these views.").waitFor();
  await dialog(page).getByRole("button", { name: "Rename The logo" }).press("Enter");
  const rename = page.getByRole("dialog", { name: "Rename The logo" });
  await rename.getByLabel("Name").fill("Our logo");
  await rename.getByLabel("Name").press("Enter");
  await sidebar(other).getByRole("link", { name: "Our logo" }).click();
  await other.locator("#main").getByText("Teal").waitFor();
  expect(await sidebar(other).getByRole("link", { name: "Our logo" }).getAttribute("aria-current")).toBe("page");
  expect(success(await ada.call(getNavigationViews, {})).navigation_views).toEqual([
    { fragment: "narrow/is/starred", is_pinned: false, name: null },
    { fragment: "recent", is_pinned: true, name: null },
    { fragment: at.slice(1), is_pinned: true, name: "Our logo" },
  ]);

  await dialog(page).getByRole("button", { name: "Remove Our logo" }).click();
  await sidebar(other).getByRole("link", { name: "Our logo" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo" }).click();
  await sidebar(other).getByRole("link", { name: "Our logo" }).waitFor();
});
