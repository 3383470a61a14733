/**
 * W6. Everything works with a screen reader: axe finds nothing on any screen, with dialogs and menus open, wide and light as
 * well as narrow and dark. Only axe's contrast rule depends on colors: screens with one width are checked for that twice.
 */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createBot } from "@skein/api/bots.ts";
import { sendInvitations } from "@skein/api/invitations.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { addLinkifier } from "@skein/api/linkifiers.ts";
import { createProfileField } from "@skein/api/profile-fields.ts";
import { addRealmDomain } from "@skein/api/realm-domains.ts";
import { endBrowserSessions } from "../../server/src/domain/people/auth/browser-sessions.ts";
import { revoke } from "../../server/src/events/revoke.ts";
import { createScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { deliverScheduledMessage } from "../../server/src/domain/messages/scheduled-messages/deliver.ts";
import { channelOf, sendToChannel, sendDirect, type TestChannel } from "../../server/test/actions.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { complaintsAbout } from "./axe.ts";
import { composer, goTo, messages, newRealm, openClient, openWindow, siteOf, useClient } from "./client.ts";
import { picture, uploadAs } from "./files.ts";
import { importScreens, showImport } from "./import-screens.ts";

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
  const long = Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n\n");
  await sendToChannel(bo, channel, { topic: "long", content: long });
  await sendToChannel(ada, channel, { topic: "logo", content: "mine", readBySender: true });
  await sendDirect(bo, [ada], { content: "Psst" });
  return { realm, ada, bo, channel, at: `#narrow/channel/${channel.id}/topic/logo` };
}

/** One is waiting, one could not be sent. */
async function scheduleTwo(user: TestUser, { id }: TestChannel): Promise<void> {
  const message = { type: "channel", to: id, topic: "logo", scheduled_delivery_timestamp: 4_000_000_000 } as const;
  success(await user.call(createScheduledMessage, { ...message, content: "later" }));
  const { scheduled_message_id } = success(await user.call(createScheduledMessage, { ...message, content: "lost" }));
  const { ctx } = user.realm;
  await ctx.db
    .updateTable("scheduled_messages")
    .set({ deliver_at: new Date(Date.now() - 3_600_000) })
    .where("id", "=", scheduled_message_id)
    .execute();
  await deliverScheduledMessage.run(ctx, { id: scheduled_message_id }, { attempt: 1, maxAttempts: 1 });
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
  await inspection.visit("long message", `#narrow/channel/${channel.id}/topic/long`, "Show more");
  await inspection.visit("direct", `#narrow/dm/${bo.id}`, "Psst");
  await inspection.visit("found", "#narrow/search/quote", "1 message");
  await inspection.visit("not found", "#narrow/search/zebra", "Search all public channels");
  await inspection.visit("starred", "#narrow/is/starred", "No starred messages");
  await inspection.visit("mentions", "#narrow/is/mentioned", "bold");
  await inspection.visit("drafts", "#drafts", "No drafts");
  await scheduleTwo(ada, channel);
  await inspection.visit("scheduled", "#scheduled", "Couldn’t be sent");
  await inspection.visit("failed messages", "#inbox", "couldn’t be sent");
  await inspection.visit("channels", "#channels", "design");
  await inspection.visit("direct messages", "#direct-messages", "Psst");
  await inspection.visit("a person", `#user/${bo.id}`, "Joined");
  // Personal settings
  await inspection.visit("settings: profile", "#settings/profile", "See your profile");
  await inspection.visit("settings: preferences", "#settings/preferences", "Text size");
  await inspection.visit("settings: notifications", "#settings/notifications", "Send me a test");
  await inspection.visit("settings: account", "#settings/account", "Change password");
  await inspection.visit("settings: API keys", "#settings/api-keys", "May do everything");
  await inspection.visit("settings: sessions", "#settings/sessions", "This browser");
  await inspection.visit("settings: muted", "#settings/muted", "No muted topics");
  await inspection.visit("settings: alert words", "#settings/alert-words", "Press Enter after each");
  await inspection.visit("settings: uploads", "#settings/uploads", "Files that you attach");
  await inspection.visit("settings: bots", "#settings/bots", "Create a bot");
  await inspection.visit("settings: keyboard", "#settings/keyboard", "While writing");
  await inspection.visit("nowhere", "#nonsense", "Nothing here");

  expect(inspection.complaints()).toEqual([]);
});

// Channel settings
test.each([
  ["light", 1440],
  ["dark", 390],
] as const)("W6: a channel's settings, %s, %i pixels wide", async (colorScheme, width) => {
  const { realm, ada, bo, channel } = await organization();
  const page = await openClient(ada, { colorScheme, width, height: 844 });
  const inspection = new Inspection(page);
  const at = (section: string) => `#channels/${channel.id}/design${section}`;

  await inspection.visit("list", at(""), "Permissions");
  await inspection.visit("general", at("/general"), "Created");
  await page.getByRole("radio", { name: "Private, with protected history" }).check();
  await page.getByText("Subscribers can no longer read").waitFor();
  await inspection.look("privacy", "#main");
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await inspection.look("archive", "dialog[open]");
  await page.keyboard.press("Escape");
  await inspection.visit("people", at("/subscribers"), "2 subscribers");
  await page.getByRole("combobox", { name: "Add people" }).fill("m");
  await page.getByRole("option").first().waitFor();
  await inspection.look("add people");
  await inspection.visit("permissions", at("/permissions"), "Who can write in it");
  await inspection.visit("personal", at("/personal"), "Leave channel");

  const reader = await openClient(bo, { colorScheme, width, height: 844 });
  const readers = new Inspection(reader);
  await readers.visit("general, as a reader", at("/general"), "Created");
  await readers.visit("permissions, as a reader", at("/permissions"), "Who can write in it");

  const owner = await openClient(realm.admin, { at: "#channels", colorScheme, width, height: 844 });
  const dialogs = new Inspection(owner);
  await dialogs.visit("organization's channels", "#organization/channels", "design");
  await dialogs.visit("channel folders", "#organization/channel-folders", "No folders yet");
  await dialogs.visit("default channels", "#organization/default-channels", "Create a group");
  await goTo(owner, "#channels");
  await owner.getByRole("button", { name: "Create a channel" }).last().click();
  await owner.getByText("Advanced permissions").click();
  await owner.getByLabel("How long messages are kept").selectOption("A number of days");
  await dialogs.look("create a channel", "dialog[open]");

  expect([...inspection.complaints(), ...readers.complaints(), ...dialogs.complaints()]).toEqual([]);
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
  await page.getByRole("menuitem", { name: "Rename topic" }).click();
  await page.getByRole("dialog", { name: "Rename topic" }).waitFor();
  await inspection.lookAt("renaming");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await messages(page).filter({ hasText: "mine" }).first().focus();
  await page.keyboard.press("Shift+U");
  await page.locator("#main").getByText("Messages stay unread").waitFor();
  await inspection.lookAt("kept unread", "#main");
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
  await page.getByRole("button", { name: "Send later" }).click();
  await page.getByRole("menuitem", { name: "Pick a time…" }).waitFor();
  await inspection.lookAt("menu of times");
  await page.getByRole("menuitem", { name: "Pick a time…" }).click();
  await page.getByRole("dialog", { name: "Schedule message" }).waitFor();
  await inspection.lookAt("picking a time");
  await page.keyboard.press("Escape");
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
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await inspection.lookAt("logging in again");

  expect(inspection.complaints()).toEqual([]);
});

test("W6: everything that opens over the settings is accessible", async () => {
  const { ada } = await organization();
  const page = await openClient(ada, { at: "#settings/profile" });
  const inspection = new Inspection(page);
  const dialog = page.getByRole("dialog");
  const button = (name: string) => page.locator("#main").getByRole("button", { name });
  const inspect = async (name: string): Promise<void> => {
    await dialog.waitFor();
    await inspection.lookAt(name);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };

  const chooser = page.waitForEvent("filechooser");
  await button("Choose a picture").click();
  await (await chooser).setFiles({ name: "ada.png", mimeType: "image/png", buffer: await picture() });
  await inspect("cropping a picture");
  await goTo(page, "#settings/api-keys");
  await button("Create an API key").click();
  await dialog.getByLabel("messages:read").waitFor();
  await inspect("creating an API key");
  await button("Replace all my keys").click();
  await inspect("replacing API keys");
  await goTo(page, "#settings/account");
  await button("Set up an authenticator app").click();
  await inspect("an authenticator app");
  await button("Deactivate account").click();
  await inspect("deactivating the account");
  await goTo(page, "#settings/bots");
  await button("Create a bot").click();
  await inspect("creating a bot");

  expect(inspection.complaints()).toEqual([]);
});

test("W6: signing in is accessible", async () => {
  const realm = await newRealm();
  const page = await openWindow(realm);
  const inspection = new Inspection(page);

  await page.goto(`${siteOf(realm)}/login/`);
  await inspection.look("sign in");
  await page.goto(`${siteOf(realm)}/accounts/password/reset/`);
  await inspection.look("forgotten password");

  expect(inspection.complaints()).toEqual([]);
});

test.each([1440, 390])("W6: an import, from its upload to its report, %i pixels wide", async (width) => {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: 100 });
  await channelOf([owner], "announcements");
  const page = await openClient(owner, { width, height: 844, at: "#organization/imports" });
  const inspection = new Inspection(page);

  for (const screen of importScreens) {
    await showImport(page, screen, owner.id);
    const isDialog = (await page.getByRole("dialog").count()) > 0;
    await inspection.lookAt(screen.name, isDialog ? "dialog[open]" : "#main");
    if (isDialog) await page.keyboard.press("Escape");
  }

  expect(inspection.complaints()).toEqual([]);
});

// The organization's settings
test.each([
  ["light", 1440],
  ["dark", 390],
] as const)("W6: the organization's settings, %s, %i pixels wide", async (colorScheme, width) => {
  const realm = await newRealm();
  const [owner, member] = await Promise.all([realm.user("ada", { role: 100 }), realm.user("bo")]);
  const ticket = { pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example.org/{id}" };
  for (const linkifier of [ticket, { ...ticket, pattern: "HED-(?P<id>[0-9]+)" }])
    await owner.call(addLinkifier, linkifier);
  await owner.call(createProfileField, { field_type: 1, name: "Phone", required: true });
  await owner.call(addRealmDomain, { domain: "example.com", allow_subdomains: true });
  const page = await openClient(owner, { colorScheme, width, height: 844 });
  const inspection = new Inspection(page);
  const opened = async (name: string, button: string | RegExp, act?: () => Promise<void>): Promise<void> => {
    await page.locator("#main").getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor();
    await act?.();
    await inspection.look(name, "dialog[open]");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };

  await inspection.visit("profile", "#organization/profile", "Type of organization");
  await opened("deactivate", "Deactivate organization");
  await inspection.visit("permissions", "#organization/permissions", "Who can invite people");
  await inspection.visit("messages", "#organization/messages", "Time limit for editing");
  await inspection.visit("joining", "#organization/joining", "example.com");
  await inspection.visit("log-in methods", "#organization/authentication", "E-mail address and password");
  await inspection.visit("identity providers", "#organization/identity-providers", "No identity providers");
  await opened("new identity provider", "Add identity provider");
  await opened("new SAML provider", "Add identity provider", () => page.getByLabel("SAML 2.0").check());
  await opened("new LDAP provider", "Add identity provider", () => page.getByLabel("LDAP").check());
  await inspection.visit("provisioning", "#organization/provisioning", "No directory is connected");
  await opened("new SCIM token", "Create SCIM token");
  await inspection.visit("emoji", "#organization/emoji", "No custom emoji yet");
  await opened("new emoji", "Add emoji");
  await inspection.visit("linkifiers", "#organization/linkifiers", "HED-");
  await page.getByLabel("Text to try").fill("See #12.");
  await page.locator("#main").getByRole("link", { name: "#12" }).waitFor();
  await inspection.look("a text to try", "#main");
  await opened("a linkifier", /^Edit HED/);
  await inspection.visit("playgrounds", "#organization/playgrounds", "No code playgrounds yet");
  await opened("new playground", "Add playground");
  await inspection.visit("profile fields", "#organization/profile-fields", "Phone");
  await opened("a profile field", "Edit Phone");
  await inspection.visit("defaults", "#organization/defaults", "What new accounts start with");
  await inspection.visit("audit log", "#organization/audit-log", "Phone");
  await page.locator("#main summary").filter({ hasText: "Profile field created" }).click();
  await page.getByText("Hash").waitFor();
  await inspection.look("an entry of the audit log", "#main");
  await inspection.visit("audit log delivery", "#organization/audit-delivery", "not delivered anywhere");
  await opened("new destination", "Add destination");
  await inspection.visit("exports", "#organization/exports", "No exports yet");
  await inspection.visit("imports", "#organization/imports", "No imports yet");
  const reader = await openClient(member, { colorScheme, width, height: 844 });
  const reading = new Inspection(reader);
  await reading.visit("permissions to read", "#organization/permissions", "Who can invite people");

  expect([...inspection.complaints(), ...reading.complaints()]).toEqual([]);
});

// People in the administration.
test.each([
  ["light", 1440],
  ["dark", 1440],
  ["light", 390],
  ["dark", 390],
] as const)("W6: people in the administration, %s, %i pixels wide", async (colorScheme, width) => {
  const { realm, bo } = await organization();
  const { admin } = realm;
  success(await bo.call(createBot, { full_name: "Bell", short_name: "bell" }));
  success(await admin.call(sendInvitations, { invitee_emails: "cy@example.com", stream_ids: [] }));
  const { group_id } = success(
    await admin.call(createUserGroup, { name: "crew", description: "All hands", members: [bo.id] }),
  );
  const page = await openClient(admin, { colorScheme, width, height: 844 });
  const inspection = new Inspection(page);
  const dialog = async (name: string, open: Locator): Promise<void> => {
    await open.click();
    await page.getByRole("dialog").waitFor();
    await inspection.look(name, "dialog[open]");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };

  await inspection.visit("users", "#organization/users", "3 users");
  await page.getByRole("checkbox", { name: "Select bo" }).check();
  await inspection.look("selected users", "#main");
  await dialog("a bulk action", page.getByRole("button", { name: "Deactivate", exact: true }));
  await page.getByRole("button", { name: "Actions on bo" }).click();
  await page.getByRole("menuitem").first().waitFor();
  await inspection.look("menu of a user", "[popover]:popover-open");
  await page.keyboard.press("Escape");
  await inspection.visit("a user", `#organization/users/${bo.id}`, "May do everything");
  await dialog("deactivating", page.getByRole("button", { name: "Deactivate", exact: true }));
  await inspection.visit("deactivated users", "#organization/deactivated-users", "No deactivated users");
  await inspection.visit("bots", "#organization/bots", "Bell");
  await page.getByRole("row").filter({ hasText: "Bell" }).click();
  await page.getByRole("button", { name: "Regenerate API key" }).waitFor();
  await inspection.look("a bot", "#main");
  await inspection.visit("invitations", "#organization/invitations", "cy@example.com");
  await inspection.visit("groups", "#organization/user-groups", "crew");
  await dialog("a new group", page.getByRole("button", { name: "Create a group" }));
  await inspection.visit("a group", `#organization/user-groups/${group_id}`, "Used in");
  await dialog("deactivating a group", page.getByRole("button", { name: "Deactivate group" }));

  expect(inspection.complaints()).toEqual([]);
});
