/** The history of another chat, imported in the browser. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { roles } from "@skein/api/users.ts";
import { hasImportKit, makeSamples } from "../../server/test/import-kit.ts";
import { largeSlackExport, readyImport, slackExport } from "../../server/test/uploaded-imports.ts";
import { newRealm, openClient, useClient } from "./client.ts";
import { Keyboard } from "./keyboard.ts";

useClient();

const main = (page: Page) => page.locator("#main");
const dialog = (page: Page) => page.getByRole("dialog");

test.skipIf(!hasImportKit)(
  "an export is uploaded, planned and run in one window, and followed and read in another",
  { timeout: 120_000 },
  async () => {
    const realm = await newRealm();
    const owner = await realm.user("ada", { role: roles.owner });
    const at = "#organization/imports";
    const [page, other] = await Promise.all([openClient(owner, { at }), openClient(owner, { at })]);
    await main(other).getByText("No imports yet.").waitFor();

    const buffer = readFileSync(join(makeSamples(), "slack.zip"));
    await main(page)
      .locator("input[type=file]")
      .setInputFiles({ name: "slack.zip", mimeType: "application/zip", buffer });
    await main(other).getByRole("heading", { name: "What is in it" }).waitFor();
    await main(page).getByText("Slack").first().waitFor();

    await main(page).getByRole("radio", { name: "One topic" }).check();
    await main(page)
      .getByRole("tab", { name: /Channels/ })
      .click();
    const row = main(page).getByRole("row").nth(1);
    await row.focus();
    await page.keyboard.press("Enter");
    await dialog(page).getByLabel("Name").fill("brought along");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await main(page).getByText("New channel “brought along”").waitFor();
    await main(other)
      .getByRole("tab", { name: /Channels/ })
      .click();
    await main(other).getByText("New channel “brought along”").waitFor();
    expect(await main(other).getByRole("radio", { name: "One topic" }).isChecked()).toBe(true);

    await main(page).getByRole("button", { name: "Run import…" }).click();
    const name = (await dialog(page).getByRole("heading").textContent())?.replace(/^Import into |\?$/g, "") ?? "";
    await dialog(page).getByRole("textbox").fill(name);
    await dialog(page).getByRole("button", { name: "Run import" }).click();
    await main(other).getByText("Finished").waitFor({ timeout: 60_000 });
    await main(other).getByRole("table", { name: "Left out" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      main(page).getByRole("button", { name: "Download Markdown" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^import-\d+-report\.md$/);

    await other.evaluate(() => (location.hash = "#organization/channels"));
    await main(other).getByText("brought along").first().waitFor();
  },
);

test("fetching files from Slack is offered where files are missing and the export has a token", async () => {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: roles.owner });
  await readyImport(owner, await owner.register(["realm_import"]), slackExport({ hasFile: true }));
  const page = await openClient(owner, { at: "#organization/imports" });
  // Nothing is fetched: the request is answered here.
  const sent: (string | null)[] = [];
  await page.route(/\/import\/realm\/\d+\/run$/, async (route) => {
    sent.push(new URLSearchParams(route.request().postData() ?? "").get("fetch_files"));
    await route.fulfill({ json: { result: "success", msg: "" } });
  });
  const run = async (fetches: boolean): Promise<void> => {
    await main(page).getByRole("button", { name: "Run import…" }).click();
    const name = (await dialog(page).getByRole("heading").textContent())?.replace(/^Import into |\?$/g, "") ?? "";
    const choice = dialog(page).getByRole("checkbox", { name: "Fetch files from Slack with the export’s token" });
    expect(await choice.isChecked()).toBe(false);
    if (fetches) await choice.check();
    await dialog(page).getByRole("textbox").fill(name);
    await dialog(page).getByRole("button", { name: "Run import" }).click();
    await dialog(page).waitFor({ state: "detached" });
  };

  await run(false);
  await run(true);

  expect(sent).toEqual(["false", "true"]);
});

test("10,000 people are searched, filtered and changed at once, with a request for each thousand", async () => {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: roles.owner });
  await readyImport(owner, await owner.register(["realm_import"]), largeSlackExport(10_000, 1000));
  const page = await openClient(owner, { at: "#organization/imports" });
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/plan")) requests.push(request.method());
  });
  const rows = main(page).getByRole("row");
  const status = (text: string) => main(page).getByRole("status").getByText(text, { exact: true }).waitFor();
  await status("10,000 people");
  expect(await rows.count()).toBeLessThan(60);

  await main(page).getByLabel("Find people").fill("Person 9999");
  await status("1 person");
  await main(page).getByLabel("Find people").fill("");
  await main(page).getByLabel("Which accounts").selectOption({ label: "Inactive account" });
  await status("100 people");
  await main(page).getByLabel("Which accounts").selectOption({ label: "All accounts" });
  await main(page).getByRole("checkbox", { name: "Select all" }).check();
  await status("10,000 selected");
  requests.length = 0;
  await main(page).getByRole("button", { name: "New account" }).click();
  await main(page).getByText("100 stay as they were:").waitFor();
  expect(requests).toEqual(Array.from({ length: 10 }, () => "PATCH"));
});

test("an export is uploaded, planned, run and reported with the keyboard alone", async () => {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: roles.owner });
  const page = await openClient(owner, { at: "#organization/imports" });
  const keyboard = new Keyboard(page);
  await main(page).getByText("No imports yet.").waitFor();

  // Waiting begins before the way to the button: a key can overtake the browser's order to report choosers.
  const chooser = page.waitForEvent("filechooser");
  await keyboard.tabTo(/^Upload an export$/);
  await keyboard.press("Enter");
  await (await chooser).setFiles({ name: "lighthouse.zip", mimeType: "application/zip", buffer: slackExport() });
  await main(page).getByText("Ines Calder").waitFor();

  // A person: opened from the table, and made inactive.
  await keyboard.tabTo(/^Find people$/);
  await keyboard.type("Ines");
  await main(page).getByRole("status").getByText("1 person").waitFor();
  await keyboard.press("Enter", "Enter");
  await dialog(page).waitFor();
  await keyboard.tabTo(/^New account/);
  await keyboard.press("ArrowDown", "Enter");
  await dialog(page).waitFor({ state: "detached" });
  await main(page).getByRole("gridcell", { name: "Inactive account" }).waitFor();
  await keyboard.untilFocusOn(/Ines Calder/);

  // A channel: left out, from the other tab.
  await keyboard.tabTo(/^People/, "Shift+Tab");
  await keyboard.press("ArrowRight");
  await main(page).getByText("gossip").waitFor();
  await keyboard.tabTo(/gossip/);
  await keyboard.press("Space");
  await keyboard.tabTo(/^Leave out$/, "Shift+Tab");
  await keyboard.press("Enter");
  await main(page).getByText("Left out").waitFor();

  await keyboard.tabTo(/^Run import…$/);
  await keyboard.press("Enter");
  const name = (await dialog(page).getByRole("heading").textContent())?.replace(/^Import into |\?$/g, "") ?? "";
  await keyboard.type(name);
  await keyboard.press("Enter");
  await main(page).getByText("Finished").waitFor({ timeout: 60_000 });
  await keyboard.tabTo(/^Download Markdown$/);
  const [download] = await Promise.all([page.waitForEvent("download"), keyboard.press("Enter")]);
  expect(download.suggestedFilename()).toMatch(/^import-\d+-report\.md$/);
});
