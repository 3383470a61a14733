/**
 * W6. Everything works with a screen reader: axe finds nothing on any screen, with dialogs and menus open, wide and light as
 * well as narrow and dark. Only axe's contrast rule depends on colors: screens with one width are checked for that twice.
 */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { endBrowserSessions } from "../../server/src/domain/people/auth/browser-sessions.ts";
import { revoke } from "../../server/src/events/revoke.ts";
import { channelOf, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { complaintsAbout } from "./axe.ts";
import { composer, goTo, messages, newRealm, openClient, openWindow, siteOf, useClient } from "./client.ts";
import { picture, uploadAs } from "./files.ts";

useClient();

/** What opens over a place. */
const over = "dialog[open], [popover]:popover-open, aside, #main form";

/** The inspected screens, and the findings. */
class Inspection {
  readonly #page: Page;
  readonly #found: Record<string, string[]> = {};

  constructor(page: Page) {
    this.#page = page;
  }

  /** Inspects the page as it is, or a part of it. */
  async look(name: string, part = ":root"): Promise<void> {
    this.#found[name] = await complaintsAbout(this.#page, { part });
  }

  /** Inspects a part of the page, such as an overlay, in both color schemes. */
  async lookAt(name: string, part = over): Promise<void> {
    const light = await complaintsAbout(this.#page, { part });
    await this.#page.emulateMedia({ colorScheme: "dark" });
    const dark = await complaintsAbout(this.#page, { part, isOfColours: true });
    await this.#page.emulateMedia({ colorScheme: "light" });
    this.#found[name] = [...light, ...dark.map((complaint) => `dark: ${complaint}`)];
  }

  /** Goes to an address first. What surrounds the place was inspected before. */
  async visit(name: string, address: string, ready: string): Promise<void> {
    await goTo(this.#page, address);
    await this.#page.locator("#main").getByText(ready).first().waitFor();
    await this.look(name, "#main");
  }

  complaints(): [string, string[]][] {
    return Object.entries(this.#found).filter(([, what]) => what.length > 0);
  }
}

async function organization() {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  const channel = await channelOf([ada, bo], "design");
  const url = await uploadAs(bo, "teal.png", await picture());
  await sendToChannel(bo, channel, { topic: "logo", content: "Look: `code`, **bold** and @**ada**" });
  await sendToChannel(bo, channel, {
    topic: "logo",
    content: "> a quote\n\n```python\nprint(1)\n```\n\n||| \n|--|--|\n|a|b|",
  });
  await sendToChannel(bo, channel, { topic: "logo", content: `A picture: [teal](${url})` });
  await sendToChannel(ada, channel, { topic: "logo", content: "/poll Which?\nteal\nplum", readBySender: true });
  await sendToChannel(ada, channel, { topic: "logo", content: "mine", readBySender: true });
  await sendDirect(bo, [ada], { content: "Psst" });
  return { realm, ada, bo, channel, at: `#narrow/channel/${channel.id}/topic/logo` };
}

test.each([
  ["light", 1440],
  ["dark", 390],
] as const)("W6: every place, %s, %i pixels wide", async (colorScheme, width) => {
  const { ada, bo, channel, at } = await organization();
  const page = await openClient(ada, { colorScheme, width, height: 844 });
  const inspection = new Inspection(page);

  await page.locator("#main").getByText("Psst").first().waitFor();
  await inspection.look("Inbox");
  await inspection.visit("recent", "#recent", "Psst");
  await inspection.visit("followed", "#inbox/followed", "follow");
  await inspection.visit("topics", `#topics/channel/${channel.id}`, "logo");
  await inspection.visit("feed", `#narrow/channel/${channel.id}`, "a quote");
  await inspection.visit("conversation", at, "mine");
  await inspection.visit("direct", `#narrow/dm/${bo.id}`, "Psst");
  await inspection.visit("found", "#narrow/search/quote", "1 message");
  await inspection.visit("not found", "#narrow/search/zebra", "Search all public channels");
  await inspection.visit("starred", "#narrow/is/starred", "No starred messages");
  await inspection.visit("mentions", "#narrow/is/mentioned", "bold");
  await inspection.visit("drafts", "#drafts", "No drafts");
  await inspection.visit("channels", "#channels", "design");
  await inspection.visit("direct messages", "#direct-messages", "Psst");
  await inspection.visit("a person", `#user/${bo.id}`, "Joined");
  await inspection.visit("nowhere", "#nonsense", "Nothing here");

  expect(inspection.complaints()).toEqual([]);
});

test("W6: everything that opens over a place is accessible", async () => {
  const { realm, ada, at } = await organization();
  const page = await openClient(ada, { at });
  const inspection = new Inspection(page);
  await messages(page).getByText("mine").waitFor();
  /** Opened by a key on a message, and closed by Escape. */
  const onMessage = async (text: string, key: string, ready: Locator, name = key): Promise<void> => {
    await messages(page).filter({ hasText: text }).first().focus();
    await page.keyboard.press(key);
    await ready.waitFor();
    await inspection.lookAt(name);
    await page.keyboard.press("Escape");
    await ready.waitFor({ state: "detached" });
  };
  const panel = page.getByRole("complementary");

  // Includes the sidebar, which narrow screens do not have.
  await inspection.lookAt("conversation", ":root");
  await onMessage("mine", "i", page.getByRole("menuitem", { name: "Delete" }), "menu of a message");
  await onMessage("mine", "m", page.getByRole("dialog", { name: "Move messages" }).getByText("subscribed"), "moving");
  await onMessage("mine", "<", page.getByRole("dialog"), "forwarding");
  await onMessage("mine", ":", page.getByRole("combobox", { name: "Search emoji" }), "reacting");
  await onMessage("mine", "e", page.getByRole("textbox", { name: "Edit message" }), "editing");
  await onMessage("mine", "w", panel.getByText("Participants"), "people");
  await onMessage("mine", "u", panel.getByText("Joined"), "a profile");
  await onMessage("mine", "Shift+V", panel.getByText(/Read by|No one has read/), "receipts");
  await onMessage("mine", "/", page.getByRole("option", { name: /^sender:/ }), "searching");
  await onMessage("mine", "x", page.getByRole("dialog", { name: "New direct message" }), "new direct message");
  await onMessage("mine", "Control+k", page.getByRole("option").first(), "palette");
  await onMessage("mine", "?", page.getByRole("dialog", { name: "Keyboard shortcuts" }), "keys");
  await onMessage("mine", "Shift+M", page.getByRole("menuitemradio").first(), "following");
  await onMessage("A picture", "v", page.getByRole("dialog", { name: "Pictures" }), "a picture");

  await page.getByRole("button", { name: "Conversation actions" }).click();
  await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
  await inspection.lookAt("menu of a conversation");
  await page.keyboard.press("Escape");
  await composer(page).fill("@a");
  await composer(page).pressSequentially("d");
  await page.getByRole("option").first().waitFor();
  await inspection.lookAt("suggestions");
  await page.keyboard.press("Escape");
  await composer(page).fill("**bold**");
  await page.keyboard.press("Alt+p");
  await page.locator("#main form strong").waitFor();
  await inspection.lookAt("preview");
  await page.keyboard.press("Alt+p");
  await composer(page).fill("");
  for (const [action, title] of [
    ["Create a channel", "Create a channel"],
    ["Invite", "Invite people"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(action);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: title }).waitFor();
    await inspection.lookAt(title);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await revoke(realm.ctx, "end a test's sessions", (tx) => endBrowserSessions(tx, { id: ada.id, realm_id: realm.id }));
  await page.getByRole("dialog", { name: "Log in again" }).waitFor();
  await inspection.lookAt("logging in again");

  expect(inspection.complaints()).toEqual([]);
});

test("W6: signing in is accessible", async () => {
  const realm = await newRealm();
  const page = await openWindow(realm);
  const inspection = new Inspection(page);

  await page.goto(`${siteOf(realm)}/login/`);
  await inspection.look("log in");
  await page.goto(`${siteOf(realm)}/accounts/password/reset/`);
  await inspection.look("forgotten password");

  expect(inspection.complaints()).toEqual([]);
});
