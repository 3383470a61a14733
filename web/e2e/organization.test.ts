/** The organization's settings: its profile, lists and data, as administrators, members and guests see them. */
import type { Page } from "playwright-core";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { getUserApiKeys } from "@skein/api/api-keys.ts";
import { getCustomEmoji } from "@skein/api/emoji.ts";
import { addLinkifier, getLinkifiers } from "@skein/api/linkifiers.ts";
import { renderMessage } from "@skein/api/messages.ts";
import { createProfileField, getProfileFields } from "@skein/api/profile-fields.ts";
import { getRealmDomains } from "@skein/api/realm-domains.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { getUserSecondFactors } from "@skein/api/second-factors.ts";
import { roles, updateUser } from "@skein/api/users.ts";
import { withApp } from "../../server/test/authenticator-app.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { goTo, newRealm, openClient, useClient } from "./client.ts";
import { picture } from "./files.ts";

useClient();

async function owned() {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: roles.owner });
  return { realm, owner };
}

const main = (page: Page) => page.locator("#main");
const dialog = (page: Page) => page.getByRole("dialog");
const file = async (name: string) => ({ name, mimeType: "image/png", buffer: await picture() });

/** Two windows of the owner. */
async function two(owner: TestUser, at: string): Promise<[Page, Page]> {
  return Promise.all([openClient(owner, { at }), openClient(owner, { at })]);
}

test("pictures of the organization are uploaded, shown in other windows, and removed", async () => {
  const { owner } = await owned();
  const [first, second] = await two(owner, "#organization/profile");

  for (const name of ["Icon", "Logo", "Logo for the dark theme"]) {
    const setting = (page: Page) =>
      page.locator("[id^=setting-]").filter({ has: page.getByRole("heading", { name, exact: true }) });
    await setting(first)
      .locator("input[type=file]")
      .setInputFiles(await file("ours.png"));
    await setting(first).getByText("Saved").waitFor();
    await setting(second)
      .getByRole("button", { name: `Remove: ${name}` })
      .waitFor();
    await expect
      .poll(() =>
        setting(second)
          .getByRole("img", { name })
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBeGreaterThan(0);
    await setting(second)
      .getByRole("button", { name: `Remove: ${name}` })
      .click();
    await setting(first)
      .getByRole("button", { name: `Upload: ${name}` })
      .waitFor();
  }
});

test("domains are added and removed; without the last one the restriction ends", async () => {
  const { owner } = await owned();
  const [first, second] = await two(owner, "#organization/joining");
  const list = (page: Page) => page.getByRole("list", { name: "Allowed domains" });
  const restricted = (page: Page) => page.getByLabel("Only addresses of certain domains");

  await first.getByLabel("Domain", { exact: true }).fill("nonsense");
  await first.getByRole("button", { name: "Add domain" }).click();
  await first.getByText("Domain must have at least one dot").waitFor();
  await first.getByLabel("Domain", { exact: true }).fill("Example.com");
  await first.getByRole("button", { name: "Add domain" }).click();
  await list(second).getByText("example.com").waitFor();
  await restricted(first).check();
  await list(first).getByLabel("Include subdomains").check();
  await expect.poll(() => list(second).getByLabel("Include subdomains").isChecked()).toBe(true);
  expect(success(await owner.call(getRealmDomains, {})).domains).toEqual([
    { domain: "example.com", allow_subdomains: true },
  ]);

  await list(first).getByRole("button", { name: "Remove example.com" }).click();
  await dialog(first).getByText("addresses of any domain can join").waitFor();
  await dialog(first).getByRole("button", { name: "Remove", exact: true }).click();
  await second.getByText("No domains yet.").waitFor();
  await expect.poll(() => restricted(second).isChecked()).toBe(false);
});

test("an emoji is added under a name that is checked, and deactivated by who added it", async () => {
  const { realm, owner } = await owned();
  const member = await realm.user("bo");
  const [page, other] = (await Promise.all(
    [member, owner].map((user) => openClient(user, { at: "#organization/emoji" })),
  )) as [Page, Page];
  await main(page).getByText("No custom emoji yet").waitFor();

  await page.getByRole("button", { name: "Add emoji" }).click();
  await dialog(page)
    .locator("input[type=file]")
    .setInputFiles(await file("Party Parsnip!.png"));
  const name = dialog(page).getByLabel("Name");
  expect(await name.inputValue()).toBe("party_parsnip");
  await name.fill("rocket");
  await dialog(page).getByText("Only administrators can replace it").waitFor();
  await name.fill("Bad/Name");
  await dialog(page).getByText("Only letters a–z").waitFor();
  await name.fill("Party Parsnip");
  await dialog(page).getByText(":party_parsnip:").waitFor();
  await dialog(page).getByRole("button", { name: "Add emoji" }).click();
  await main(other).getByText("Added by bo").waitFor();
  await dialog(page).waitFor({ state: "detached" });

  await main(page).getByRole("button", { name: "Deactivate :party_parsnip:" }).click();
  await dialog(page).getByRole("button", { name: "Deactivate", exact: true }).click();
  await main(other).getByText("No custom emoji yet").waitFor();
  const { emoji } = success(await owner.call(getCustomEmoji, {}));
  expect(Object.values(emoji).map((each) => [each.name, each.deactivated])).toEqual([["party_parsnip", true]]);
});

test("linkifiers are tried as they are typed, as the server makes links of them", async () => {
  const { owner } = await owned();
  const page = await openClient(owner, { at: "#organization/linkifiers" });
  const text = "See #12, and web@1ea6e40; not x#3.";

  await page.getByRole("button", { name: "Add linkifier" }).click();
  await dialog(page).getByLabel("Text to try").fill(text);
  await dialog(page).getByLabel("Pattern").fill("#(?P<id>[0-9]+");
  await dialog(page).getByLabel("URL template").fill("https://bugs.example.org/{id}");
  await dialog(page).getByText("A pattern is not valid: missing )").waitFor();
  await dialog(page).getByRole("button", { name: "Add linkifier" }).click();
  await dialog(page).getByText("Bad regular expression: missing )").waitFor();
  await dialog(page).getByLabel("Pattern").fill("#(?P<id>[0-9]+)");
  expect(await dialog(page).getByRole("link").allInnerTexts()).toEqual(["#12"]);
  await dialog(page).getByRole("button", { name: "Add linkifier" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const second = {
    pattern: "(?P<repo>[a-z]+)@(?P<id>[0-9a-f]{7})",
    url_template: "https://git.example.org/{repo}/{id}",
  };
  success(await owner.call(addLinkifier, second));
  await main(page).getByText(second.pattern).waitFor();

  const links = main(page).locator("a[target=_blank]");
  await expect.poll(() => links.allInnerTexts()).toEqual(["#12", "web@1ea6e40"]);
  const hrefs = await links.evaluateAll((all: HTMLAnchorElement[]) => all.map((link) => link.href));
  const { rendered } = success(await owner.call(renderMessage, { content: text }));
  expect([...rendered.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual(hrefs);
});

test("linkifiers are moved by keyboard and by mouse, changed and removed, and other windows follow", async () => {
  const { owner } = await owned();
  for (const letter of ["a", "b", "c"])
    success(await owner.call(addLinkifier, { pattern: letter, url_template: `https://example.org/${letter}` }));
  const [page, other] = await two(owner, "#organization/linkifiers");
  const handle = (name: string) => main(page).getByRole("button", { name: `Move ${name}`, exact: true });
  const order = (where: Page) =>
    where
      .getByRole("list", { name: "Linkifiers" })
      .getByRole("listitem")
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).innerText.trim().charAt(0)).join(""));
  const stored = async () =>
    success(await owner.call(getLinkifiers, {}))
      .linkifiers.map(({ pattern }) => pattern)
      .join("");
  await handle("a").focus();

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await order(page)).toBe("bca");
  expect(await handle("a").evaluate((button) => button === document.activeElement)).toBe(true);
  await expect.poll(() => order(other)).toBe("bca");

  const from = await handle("a").boundingBox();
  const to = await handle("b").boundingBox();
  if (!from || !to) throw new Error("the handles are not on screen");
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 8, to.y, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => order(other)).toBe("abc");
  await expect.poll(stored).toBe("abc");

  await main(page).getByRole("button", { name: "Edit b" }).click();
  await dialog(page).getByLabel("Pattern").fill("bee");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await main(other).getByText("bee", { exact: true }).waitFor();
  await main(page).getByRole("button", { name: "Remove a" }).click();
  await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
  await expect.poll(stored).toBe("beec");
});

test("profile fields are added with options, changed and moved; what does not fit is refused with the reason", async () => {
  const { owner } = await owned();
  const page = await openClient(owner, { at: "#organization/profile-fields" });
  const stored = async () => success(await owner.call(getProfileFields, {})).custom_fields;

  await page.getByRole("button", { name: "Add field" }).click();
  await dialog(page).getByLabel("Type").selectOption("List of options");
  await dialog(page).getByLabel("Label").fill("Shift");
  await dialog(page).getByRole("textbox", { name: "Option 1" }).fill("Morning");
  await dialog(page).getByRole("textbox", { name: "Option 1" }).press("Enter");
  await dialog(page).getByRole("textbox", { name: "Option 2" }).fill("Night");
  await dialog(page).getByLabel("Show in the profile summary").check();
  await dialog(page).getByRole("button", { name: "Add field" }).click();
  await main(page).getByText("Morning, Night").waitFor();
  success(await owner.call(createProfileField, { field_type: 8, name: "Pronouns", display_in_profile_summary: true }));

  await page.getByRole("button", { name: "Add field" }).click();
  await dialog(page).getByText("these are shown already: Shift, Pronouns").waitFor();
  await dialog(page).getByLabel("Type").selectOption("External account");
  await dialog(page).getByLabel("Account", { exact: true }).selectOption("GitHub");
  await dialog(page).getByRole("button", { name: "Add field" }).click();
  await main(page).getByText("Your username on GitHub").waitFor();

  await page.getByRole("button", { name: "Edit Shift" }).click();
  await dialog(page).getByRole("button", { name: "Remove Morning" }).click();
  await dialog(page).getByText("will have nothing there: Morning").waitFor();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await stored())[0]?.field_data).toBe('{"1":{"text":"Night","order":"1"}}');
  await page.getByRole("button", { name: "Move Shift", exact: true }).press("ArrowDown");
  await expect.poll(async () => (await stored()).map(({ name }) => name)).toEqual(["Pronouns", "Shift", "GitHub"]);
  await page.getByRole("button", { name: "Remove Pronouns" }).click();
  await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
  await expect.poll(async () => (await stored()).length).toBe(2);
});

test("code playgrounds are added and removed; the server's objections are beside the fields", async () => {
  const { owner } = await owned();
  const [page, other] = await two(owner, "#organization/playgrounds");

  await page.getByRole("button", { name: "Add playground" }).click();
  await dialog(page).getByLabel("Language").fill("rust");
  await dialog(page).getByLabel("Name").fill("Rust playground");
  await dialog(page).getByLabel("URL template").fill("https://play.example.org/");
  await dialog(page).getByRole("button", { name: "Add playground" }).click();
  await dialog(page).getByText('Missing the required variable "code"').waitFor();
  await dialog(page).getByLabel("URL template").fill("https://play.example.org/?code={code}");
  await dialog(page).getByRole("button", { name: "Add playground" }).click();
  await main(other).getByText("Rust playground").waitFor();
  await main(other).getByRole("button", { name: "Remove Rust playground" }).click();
  await dialog(other).getByRole("button", { name: "Remove", exact: true }).click();
  await main(page).getByText("No code playgrounds yet").waitFor();
  expect(await main(page).getByText("Rust playground").count()).toBe(0);
});

test("an export is started with the number of people who agree, becomes ready by itself, is downloaded and deleted", async () => {
  const { owner } = await owned();
  const [page, other] = await two(owner, "#organization/exports");

  await main(page)
    .getByText(/of \d+ people agree/)
    .waitFor();
  await main(other).getByText("No exports yet.").waitFor();
  await main(page).getByRole("button", { name: "Start export" }).click();
  await main(other).getByText("Started by ada").waitFor();
  await main(other).getByText("Ready").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    main(page).getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^skein-export-\d+\.tar\.gz$/);
  await main(page)
    .getByRole("button", { name: /^Delete export/ })
    .click();
  await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
  await main(other)
    .getByText(/^Deleted/)
    .waitFor();
});

test("the last way to sign in cannot be switched off", async () => {
  const { owner } = await owned();
  const page = await openClient(owner, { at: "#organization/authentication" });

  await main(page).getByText("At least one method has to stay on.").waitFor();
  expect(await page.getByLabel("E-mail address and password").isDisabled()).toBe(true);
});

test("messages are deleted by age only after a question, which Cancel answers with no", async () => {
  const { owner } = await owned();
  const page = await openClient(owner, { at: "#organization/messages" });
  const period = page.getByLabel("Keep messages for");

  await period.selectOption("90 days");
  await dialog(page).getByText("All messages older than 90 days").waitFor();
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect
    .poll(() => period.evaluate((field: HTMLSelectElement) => field.selectedOptions[0]?.text))
    .toBe("No limit");
  await period.selectOption("90 days");
  await dialog(page).getByRole("button", { name: "Delete old messages" }).click();
  await page.locator("#setting-message_retention_days").getByText("Saved").waitFor();
  // A longer period deletes nothing more.
  await period.selectOption("365 days");
  await expect.poll(() => period.inputValue()).toBe("365");
});

test("administrators see what only owners can change; members read; guests see the profile and the emoji", async () => {
  const { realm } = await owned();
  const [admin, member, guest] = await Promise.all([
    realm.user("bo", { role: roles.administrator }),
    realm.user("cy"),
    realm.user("di", { role: roles.guest }),
  ]);
  const sections = (page: Page) => page.getByRole("navigation", { name: "Sections" }).getByRole("link").allInnerTexts();
  const field = (page: Page, name: string) => page.getByRole("combobox", { name });

  const forAdmin = await openClient(admin, { at: "#organization/permissions" });
  await field(forAdmin, "Who can create public channels").waitFor();
  expect(await field(forAdmin, "Who can create public channels").isDisabled()).toBe(false);
  expect(await field(forAdmin, "Who can create user groups").isDisabled()).toBe(true);
  const note = forAdmin.locator("#setting-can_create_groups");
  expect(await note.innerText()).toContain("Only owners can change this.");
  expect(await sections(forAdmin)).toContain("Data exports");

  const forMember = await openClient(member, { at: "#organization/permissions" });
  await field(forMember, "Who can create public channels").waitFor();
  expect(await field(forMember, "Who can create public channels").isDisabled()).toBe(true);
  expect(await sections(forMember)).toEqual([
    "Organization profile",
    "Permissions",
    "Messages",
    "Joining",
    "Sign-in methods",
    "Users",
    "Bots",
    "Invitations",
    "User groups",
    "Channels",
    "Channel folders",
    "Default channels",
    "Custom emoji",
    "Linkifiers",
    "Code playgrounds",
    "Profile fields",
  ]);

  const forGuest = await openClient(guest, { at: "#organization/profile" });
  await forGuest.getByLabel("Name", { exact: true }).waitFor();
  expect(await forGuest.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
  expect(await sections(forGuest)).toEqual(["Organization profile", "Custom emoji"]);
});

test("an owner deactivates the organization by typing its name", async () => {
  const { realm, owner } = await owned();
  const page = await openClient(owner, { at: "#organization/profile" });
  const name = await page.getByLabel("Name", { exact: true }).inputValue();

  await page.getByRole("button", { name: "Deactivate organization" }).click();
  await dialog(page).getByText("2 people will be signed out").waitFor();
  const button = dialog(page).getByRole("button", { name: "Deactivate", exact: true });
  expect(await button.getAttribute("aria-disabled")).toBe("true");
  await dialog(page).getByLabel(`Type ${name} to confirm`).fill(name);
  await button.click();

  await expect
    .poll(async () => {
      const row = realm.ctx.db.selectFrom("realms").select("deactivated").where("id", "=", realm.id);
      return (await row.executeTakeFirstOrThrow()).deactivated;
    })
    .toBe(true);
  await expect.poll(() => page.getByText(/deactivated/i).count()).toBeGreaterThan(0);
});

describe("the audit log", () => {
  const entries = (page: Page) => page.getByRole("list", { name: "Entries" }).locator(":scope > li");

  test("shows who changed what, by filters, and entries as they are written", async () => {
    const { realm, owner } = await owned();
    const bo = await realm.user("bo");
    success(await owner.call(updateUser, { user_id: bo.id, role: roles.moderator }));
    success(await realm.admin.call(updateRealm, { description: "Ours" }));
    const page = await openClient(owner, { at: "#organization/audit-log" });
    const role = entries(page).filter({ hasText: "Role changed" });
    await role.getByText("ada").waitFor();

    await role.locator("summary").focus();
    await page.keyboard.press("Enter");
    await role.getByRole("row", { name: "Role Member Moderator" }).waitFor();
    await role.getByText("127.0.0.1").waitFor();

    await page.getByLabel("Action").selectOption("Settings of the organization changed");
    await role.waitFor({ state: "detached" });
    await expect.poll(() => entries(page).count()).toBe(1);
    // Live, and only what the filter leaves.
    success(await owner.call(updateUser, { user_id: bo.id, role: roles.member }));
    success(await owner.call(updateRealm, { description: "Yours" }));
    await expect.poll(() => entries(page).count()).toBe(2);
    expect(await entries(page).filter({ hasText: "Role changed" }).count()).toBe(0);

    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => entries(page).filter({ hasText: "Role changed" }).count()).toBe(2);
    await page.getByRole("combobox", { name: "Done by" }).fill(realm.admin.fullName);
    await page.keyboard.press("Enter");
    await expect.poll(() => entries(page).count()).toBe(1);
    await page.getByLabel("From").fill("2040-01-01");
    await page.keyboard.press("Tab");
    await page.getByText("No entries match.").waitFor();
  });

  test("is read back to its beginning, and exported with the filters that are set", async () => {
    const { owner } = await owned();
    for (let n = 0; n < 60; n++) success(await owner.call(updateRealm, { description: `n ${n}` }));
    const page = await openClient(owner, { at: "#organization/audit-log" });
    await expect.poll(() => entries(page).count()).toBe(50);

    await page.getByRole("button", { name: "Show older entries" }).click();
    await expect.poll(() => entries(page).count()).toBeGreaterThanOrEqual(60);
    expect(await page.getByRole("button", { name: "Show older entries" }).count()).toBe(0);

    await page.getByLabel("Action").selectOption("Settings of the organization changed");
    await expect.poll(() => entries(page).count()).toBe(50);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as JSONL" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { action: string }).action);
    expect(lines).toEqual(Array.from({ length: 60 }, () => "realm.update"));
  });

  test("is for administrators, who also see and end what another person is signed in with", async () => {
    const { realm, owner } = await owned();
    const bo = await realm.user("bo");
    await withApp(bo);
    const [page, member] = [await openClient(owner, { at: `#organization/users/${bo.id}` }), await openClient(bo)];
    await goTo(member, "#organization/audit-log");
    await member.getByText("Nothing here").waitFor();
    await page.reload();
    const sessions = page.getByRole("list", { name: "Sessions" });

    await page.getByRole("list", { name: "API keys" }).getByText("May do everything").waitFor();
    await sessions.getByRole("button", { name: /^Sign out/ }).click();
    await dialog(page).getByRole("button", { name: "Sign out" }).click();
    await member.getByRole("dialog").waitFor();
    await page.getByText("Not signed in with any browser.").waitFor();
    await page.getByRole("button", { name: /^Revoke/ }).click();
    await dialog(page).getByRole("button", { name: "Revoke" }).click();

    await page.getByText("No API keys.").waitFor();
    expect(success(await owner.call(getUserApiKeys, { user_id: bo.id })).api_keys).toEqual([]);

    await page.getByRole("button", { name: "Reset two-factor authentication" }).click();
    await dialog(page).getByRole("button", { name: "Reset" }).click();
    await page.getByText("The password alone is enough to sign in.").waitFor();
    const factors = success(await owner.call(getUserSecondFactors, { user_id: bo.id }));
    expect(factors).toMatchObject({ totp: null, recovery_codes_left: 0 });
  });
});
