/** A month of an organization, run by clicks: nobody uses the API or the command line, not even this test. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { linkIn, mailTo } from "../../server/test/mail.ts";
import type { TestRealm } from "../../server/test/realm.ts";
import { password } from "../../server/test/test-browser.ts";
import { composer, goTo, messages, newRealm, openClient, openWindow, siteOf, useClient } from "./client.ts";
import { picture } from "./files.ts";

useClient();

const main = (page: Page): Locator => page.locator("#main");
const dialog = (page: Page): Locator => page.getByRole("dialog");
const row = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text });

/** Accepts an invitation by mail, and ends in the client. */
async function accept(realm: TestRealm, address: string, name: string): Promise<Page> {
  const page = await openWindow(realm);
  const link = linkIn(await mailTo(address));
  await page.goto(`${siteOf(realm)}${link.pathname}${link.search}`);
  await page.locator('[name="full_name"]').fill(name);
  await page.locator('[name="password"]').fill(password);
  await page.locator("form button").click();
  await page.getByRole("link", { name: /^Open/ }).click();
  await page.locator("#main").waitFor();
  return page;
}

async function choose(page: Page, field: Locator, typed: string, option: string | RegExp): Promise<void> {
  await field.fill(typed);
  await page.getByRole("listbox").getByRole("option", { name: option }).first().click();
}

test("an organization is run for a month by clicks alone", async () => {
  const realm = await newRealm();
  const owner = await openClient(realm.admin, { width: 1440, height: 900 });
  const addressOf = (name: string): string => `${name}.${realm.host.split(".", 1)[0]}@example.com`;

  // The first week: two people are invited, and join.
  await goTo(owner, "#organization/invitations");
  await main(owner).getByRole("button", { name: "Invite people" }).first().click();
  await dialog(owner)
    .getByLabel("E-mail addresses")
    .fill(`${addressOf("bo")}, ${addressOf("cy")}`);
  await owner.keyboard.press("Enter");
  await dialog(owner).getByRole("button", { name: "Send invitations" }).click();
  await dialog(owner).waitFor({ state: "detached" });
  await row(owner, addressOf("bo")).waitFor();
  const bo = await accept(realm, addressOf("bo"), "Bo Berg");
  const cy = await accept(realm, addressOf("cy"), "Cy Young");
  await row(owner, addressOf("bo")).waitFor({ state: "detached" });

  // The second week: roles, a group, and who may do what.
  await goTo(owner, "#organization/users");
  await row(owner, "Bo Berg").getByText("Bo Berg").click();
  await main(owner).getByRole("radio", { name: "Moderator" }).click();
  await main(owner).getByText("Saved").first().waitFor();
  await goTo(owner, "#organization/user-groups");
  await main(owner).getByRole("button", { name: "Create a group" }).click();
  await owner.getByLabel("Name").fill("crew");
  await owner.getByLabel("Description").fill("Who sails");
  await owner.getByRole("button", { name: "Create group" }).click();
  await main(owner).getByRole("heading", { name: "crew" }).waitFor();
  await choose(owner, main(owner).getByRole("combobox", { name: "Add people or groups" }), "cy", /Cy Young/);
  await main(owner).getByRole("heading", { name: "2 members" }).waitFor();
  await goTo(owner, "#organization/permissions/can_create_public_channel_group");
  const creators = owner.locator("#setting-can_create_public_channel_group");
  await creators.getByRole("button", { name: "Remove Members" }).click();
  await creators.getByText("Saved").waitFor();
  await choose(owner, creators.getByRole("combobox"), "crew", "crew");
  await creators.getByRole("listitem").filter({ hasText: "crew" }).waitFor();

  // Cy is in the crew and creates a channel; Bo is not, and is not offered to.
  await goTo(cy, "#channels");
  await cy.getByRole("button", { name: "Create a channel" }).last().click();
  await dialog(cy).getByLabel("Name").fill("harbor");
  await dialog(cy).getByRole("button", { name: "Create", exact: true }).click();
  await cy.getByRole("heading", { name: "harbor", level: 1 }).waitFor();

  // A private channel in which only moderators write.
  await goTo(owner, "#channels");
  await owner.getByRole("button", { name: "Create a channel" }).last().click();
  await dialog(owner).getByLabel("Name").fill("bridge");
  await dialog(owner).getByLabel("Private", { exact: true }).check();
  await choose(owner, dialog(owner).getByRole("combobox", { name: "People" }), "bo", /Bo Berg/);
  await choose(owner, dialog(owner).getByRole("combobox", { name: "People" }), "cy", /Cy Young/);
  await dialog(owner).getByText("Advanced permissions").click();
  const writers = dialog(owner).getByRole("combobox", { name: "Who can write in it" });
  await dialog(owner).getByRole("list", { name: "Who can write in it" }).getByRole("button").first().click();
  await choose(owner, writers, "moder", "Moderators");
  await dialog(owner).getByRole("button", { name: "Create", exact: true }).click();
  await owner.getByRole("heading", { name: "bridge", level: 1 }).waitFor();
  const bridge = /#(?:topics\/channel|narrow\/channel)\/(\d+)/.exec(owner.url())?.[1] ?? "";
  await goTo(cy, `#narrow/channel/${bridge}-bridge/topic/orders`);
  await main(cy).getByText("You can’t post in this channel").waitFor();

  // The third week: an emoji, a linkifier, and a message that uses both.
  await goTo(owner, "#organization/emoji");
  await main(owner).getByRole("button", { name: "Add emoji" }).click();
  const parrot = { name: "parrot.png", mimeType: "image/png", buffer: await picture() };
  await dialog(owner).locator("input[type=file]").setInputFiles(parrot);
  await dialog(owner).getByRole("button", { name: "Add emoji" }).click();
  await dialog(owner).waitFor({ state: "detached" });
  await goTo(owner, "#organization/linkifiers");
  await main(owner).getByRole("button", { name: "Add linkifier" }).click();
  await dialog(owner).getByLabel("Pattern").fill("SHIP-(?P<id>[0-9]+)");
  await dialog(owner).getByLabel("URL template").fill("https://ships.example.org/{id}");
  await dialog(owner).getByRole("button", { name: "Add linkifier" }).click();
  await dialog(owner).waitFor({ state: "detached" });
  await goTo(bo, `#narrow/channel/${bridge}-bridge/topic/orders`);
  await composer(bo).waitFor();
  await composer(bo).fill("Repair SHIP-7 :parrot:");
  await bo.getByRole("button", { name: "Send", exact: true }).click();
  const order = messages(cy).filter({ hasText: "Repair" });
  await order.getByRole("link", { name: "SHIP-7" }).waitFor();
  await order.getByRole("img", { name: /parrot/ }).waitFor();

  // A bot.
  await goTo(cy, "#settings/bots");
  await cy.getByRole("button", { name: "Create a bot" }).click();
  await dialog(cy).getByLabel("Name", { exact: true }).fill("Tide bot");
  await dialog(cy).getByRole("button", { name: "Create a bot" }).click();
  await cy.getByRole("button", { name: "Edit Tide bot" }).waitFor();

  // The fourth week: an export; Cy leaves, with the bot; the channel is archived.
  await goTo(owner, "#organization/exports");
  await main(owner).getByRole("button", { name: "Start export" }).click();
  await main(owner).getByText("Ready").waitFor();
  await goTo(owner, "#organization/users");
  await owner.getByRole("button", { name: "Actions on Cy Young" }).click();
  await owner.getByRole("menuitem", { name: "Deactivate" }).click();
  await dialog(owner).getByText("1 bot is deactivated too. Tide bot").waitFor();
  await dialog(owner).getByRole("button", { name: "Deactivate" }).click();
  await row(owner, "Cy Young").waitFor({ state: "detached" });
  await dialog(cy).waitFor();
  await goTo(owner, `#channels/${bridge}/bridge/general`);
  await owner.getByRole("button", { name: "Archive", exact: true }).click();
  await dialog(owner).getByLabel("Type bridge to confirm").fill("bridge");
  await owner.keyboard.press("Enter");
  await dialog(owner).waitFor({ state: "detached" });
  await main(bo)
    .getByText(/archived/)
    .first()
    .waitFor();

  // What is left.
  await goTo(owner, "#organization/deactivated-users");
  await row(owner, "Cy Young").waitFor();
  await goTo(owner, "#organization/bots");
  await main(owner).getByText("Tide bot").waitFor({ state: "detached" });
  await goTo(owner, "#organization/user-groups");
  await row(owner, "crew").waitFor();
  expect(await composer(bo).count()).toBe(0);
});
