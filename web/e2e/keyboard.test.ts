/** W6. Everything works by keyboard: a day's flows without a mouse. */
import { expect, test } from "vitest";
import { getUserGroups } from "@skein/api/user-groups.ts";
import { startOwnServer } from "../../server/test/own-server.ts";
import { getLinkifiers } from "@skein/api/linkifiers.ts";
import { newRealm, success } from "../../server/test/realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { password, withPassword } from "../../server/test/test-browser.ts";
import { composer, messages, openClient, openWindow, siteOf, useClient } from "./client.ts";
import { picture } from "./files.ts";
import { Keyboard } from "./keyboard.ts";
import { talk, textsIn } from "./topic.ts";

useClient();

test("W6: the first organization is set up, with a channel, invitations and a first topic", async () => {
  const server = await startOwnServer();
  const page = await openWindow({ host: "chat.example.com" });
  const keys = new Keyboard(page);
  await page.goto(server.setupUrl?.replace(/^https?:\/\/[^/]+/, server.url) ?? "");

  await keys.untilFocusOn(/^Organization name/);
  await keys.type("Harbor & Sons");
  await keys.press("Tab");
  await keys.type("Mira Mole");
  await keys.press("Tab");
  await keys.type("mira@example.com");
  await keys.press("Tab");
  await keys.type(password);
  await keys.press("Enter");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();

  await keys.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await keys.type("Create a ch");
  await keys.press("Enter");
  await page.getByRole("dialog", { name: "Create a channel" }).waitFor();
  await keys.type("harbor");
  await keys.tabTo(/Description/);
  await keys.type("Ships and sheds");
  await keys.press("Enter");
  await page.getByRole("heading", { name: "harbor", level: 1 }).waitFor();
  await keys.untilFocusOn(/Start a topic in #harbor/);
  await keys.type("Welcome aboard, all of you");
  await keys.press("Shift+Tab");
  await keys.untilFocusOn(/Topic/);
  await keys.type("welcome");
  await keys.press("Tab");
  await keys.tabTo(/Start a topic/);
  await keys.press("Enter");
  await page.getByRole("heading", { name: "welcome", level: 1 }).waitFor();
  await messages(page).getByText("Welcome aboard, all of you").waitFor();

  await keys.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await keys.type("Invite");
  await keys.press("Enter");
  await page.getByRole("dialog", { name: "Invite people" }).waitFor();
  await keys.type("otto@example.com, nonsense");
  await keys.press("Enter");
  await page.getByRole("button", { name: "Remove nonsense" }).waitFor();
  await keys.press("Backspace", "Control+Enter");
  await keys.tabTo(/Send invitations/);
  await keys.press("Enter");
  await page.getByText("1 invitation sent.").first().waitFor();

  const invited = await server.ctx.db.selectFrom("invitations").select("email").execute();
  expect(invited).toEqual([{ email: "otto@example.com" }]);
});

test("W6: a user logs in, reads new messages, replies, quotes and writes to the sender", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([withPassword(realm, "ada"), realm.user("bo")]);
  const channel = await channelOf([ada, bo], "design");
  await sendDirect(bo, [ada], { content: "Psst" });
  await sendToChannel(bo, channel, { topic: "logo", content: "What do you think?" });
  const page = await openWindow(realm);
  const keys = new Keyboard(page);
  await page.goto(`${siteOf(realm)}/`);

  await keys.untilFocusOn(/^E-mail/);
  await keys.type(ada.email);
  await keys.tabTo(/^Password/);
  await keys.type(password);
  await keys.press("Enter");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  await keys.press("n");
  await messages(page).getByText("Psst").waitFor();
  await keys.press("Escape", "n");
  await messages(page).getByText("What do you think?").waitFor();
  await keys.press("Escape");
  await keys.untilFocusOn(/bo/);
  await keys.press("r");
  await keys.type("I like it");
  await keys.press("Control+Enter");
  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["What do you think?", "I like it"]);
  await keys.press("Escape", "Home", ">");
  await expect.poll(() => composer(page).inputValue()).toContain("What do you think?");
  await keys.type("So do I");
  await keys.press("Control+Enter");
  await messages(page).locator("blockquote").getByText("What do you think?").waitFor();
  await keys.press("Escape", "Home", "Shift+R");
  await page.getByRole("heading", { name: "bo", level: 1 }).waitFor();
  await keys.type("Between us");
  await keys.press("Control+Enter");
  await messages(page).getByText("Between us").waitFor();

  await keys.press("Escape", "x");
  await page.getByRole("dialog", { name: "New direct message" }).waitFor();
  await keys.type("ada");
  await page.getByRole("option", { name: /ada/ }).first().waitFor();
  await keys.press("Enter", "Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await keys.untilFocusOn(/^Message/);
  await keys.type("A note to myself");
  await keys.press("Escape", "Shift+I");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  await keys.press("d");
  await page.getByRole("heading", { name: /^Drafts/, level: 1 }).waitFor();
  await keys.tabTo(/A note to myself/);
  await keys.press("Enter");
  await expect.poll(() => composer(page).inputValue()).toBe("A note to myself");
});

test("W6: a user starts a topic, edits, moves, reacts, stars, collapses, marks as unread, follows and searches", async () => {
  const { ada, channel, at, ids } = await talk(["a message of bo's"]);
  const page = await openClient(ada, { at });
  const keys = new Keyboard(page);
  await messages(page).getByText("a message of bo's").waitFor();

  await keys.press("Escape", "c");
  await keys.untilFocusOn(/Start a topic in #design/);
  await keys.type("Which paper for teh flyer?");
  await keys.press("Control+Enter");
  await page.getByRole("heading", { name: "Which paper for teh flyer", level: 1 }).waitFor();
  await messages(page).getByText("Which paper for teh flyer?").waitFor();
  await keys.untilFocusOn(/^Message/);
  const field = page.getByRole("textbox", { name: "Edit message" });
  await expect
    .poll(async () => {
      // It can be edited only once the server has it.
      if ((await field.count()) === 0) await keys.press("ArrowUp");
      return field.count();
    })
    .toBe(1);
  await keys.press("Control+a");
  await keys.type("Which paper?");
  await keys.press("Control+Enter");
  await messages(page).getByText("(edited)").waitFor();
  await keys.press("e");
  await field.waitFor();
  await keys.type(" And ink?");
  await keys.press("Escape");
  await field.waitFor({ state: "detached" });
  await keys.tabTo(/^Undo/);
  await keys.press("Enter");
  await expect.poll(() => field.inputValue()).toContain("And ink?");
  await keys.tabTo(/^Cancel/);
  await keys.press("Enter");

  await messages(page).getByText("(edited)").waitFor();
  await keys.press("m");
  await page.getByRole("dialog", { name: "Move messages" }).waitFor();
  await keys.untilFocusOn(/^Topic/);
  await keys.press("Control+a");
  await keys.type("logo");
  await keys.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => textsIn(ada, channel.id)).toContain("Which paper?");

  await keys.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await keys.type("logo");
  await page.getByRole("option", { name: /logo/ }).first().waitFor();
  await keys.press("Enter");
  await messages(page).getByText("a message of bo's").waitFor();
  await keys.press("Escape", "Home");
  await keys.untilFocusOn(/bo/);
  await keys.press("+");
  await page.getByRole("button", { name: /You reacted with|ada reacted with/ }).waitFor();
  await keys.press(":");
  await page.getByRole("combobox", { name: "Search emoji" }).waitFor();
  await keys.type("tada");
  await page.getByRole("gridcell", { name: /tada/ }).first().waitFor();
  await keys.press("Enter");
  await messages(page).getByText("🎉").waitFor();
  await keys.press("Control+s", "-");
  await messages(page).getByText("Message collapsed").waitFor();
  await expect.poll(() => flagsFor(ada, ids[0] ?? 0)).toEqual(expect.arrayContaining(["collapsed", "starred"]));
  await keys.press("-", "Shift+U");
  await expect.poll(() => flagsFor(ada, ids[0] ?? 0)).not.toContain("read");
  await keys.press("Shift+M");
  await page.getByRole("menuitemradio", { name: /^Follow/ }).waitFor();
  for (let steps = 0; steps < 4 && !(await keys.focused()).startsWith("Follow"); steps++) await keys.press("ArrowDown");
  await keys.press("Enter");
  await page.getByRole("button", { name: "Notifications: Follow" }).waitFor();

  await keys.press("Escape", "/");
  await page.getByRole("combobox", { name: "Search messages" }).waitFor();
  await keys.type("sender:bo");
  await page.getByRole("option", { name: /sender: bo/ }).waitFor();
  await keys.press("Enter");
  await keys.type("message");
  await keys.press("Enter");
  await page.getByText("1 message").waitFor();
  await messages(page).getByText("of bo's").waitFor();
  await keys.press("Home");
  await keys.untilFocusOn(/^bo\b/m);
  await keys.press("Enter");
  await page.getByRole("heading", { name: "logo", level: 1 }).waitFor();
  expect((await messageFor(ada, ids[0] ?? 0)).subject).toBe("logo");
});

test("W6: a file is attached, described, sent and viewed", async () => {
  const { ada, channel, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  const keys = new Keyboard(page);
  await messages(page).getByText("colours").waitFor();
  await keys.untilFocusOn(/^Message/);

  const chooser = page.waitForEvent("filechooser");
  await keys.tabTo(/^Attach files/);
  await keys.press("Enter");
  await (await chooser).setFiles({ name: "teal.png", mimeType: "image/png", buffer: await picture() });
  await page.getByPlaceholder("Describe this picture").waitFor();
  await keys.tabTo(/Describe this picture/, "Shift+Tab");
  await keys.type("A teal square");
  await keys.tabTo(/^Message/, "Shift+Tab");
  await keys.press("Control+Enter");
  await page.locator(".message_inline_image img").waitFor();
  await keys.press("Escape", "End", "v");
  await page.getByRole("dialog", { name: "Pictures" }).waitFor();
  await keys.press("+", "-", "Escape");

  await page.getByRole("dialog").waitFor({ state: "detached" });
  await keys.untilFocusOn(/ada/);
  expect((await textsIn(ada, channel.id)).at(-1)).toMatch(/^\[A teal square\]\(\/user_uploads\//);
});

test("W6: a message is scheduled, edited and sent now", async () => {
  const { ada, channel, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  const keys = new Keyboard(page);
  await messages(page).getByText("colours").waitFor();
  await keys.untilFocusOn(/^Message/);

  await keys.type("Good morning");
  await keys.tabTo(/^Send later/);
  await keys.press("Enter");
  await keys.untilFocusOn(/^In 1 hour/);
  await keys.press("p", "Enter");
  await keys.untilFocusOn(/^Date and time/);
  await keys.press("Enter");
  await page.getByText("Scheduled for").first().waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("");
  await keys.press("Escape", "d");
  await page.getByRole("heading", { name: /^Drafts/, level: 1 }).waitFor();
  await keys.tabTo(/^Edit scheduled message/);
  await keys.press("Enter");
  await keys.untilFocusOn(/^Date and time/);
  await keys.press("Shift+Tab", "Control+a");
  await keys.type("Good afternoon");
  await keys.tabTo(/^Save/);
  await keys.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await keys.untilFocusOn(/^Edit scheduled message/);
  await keys.tabTo(/^Send now/);
  await keys.press("Enter");

  await expect.poll(() => textsIn(ada, channel.id)).toContain("Good afternoon");
});

// Channel settings
test("W6: a channel's settings are opened, found and changed, and people are added", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo"), realm.user("cy")]);
  const channel = await channelOf([ada, bo], "design");
  const page = await openClient(ada, { at: `#topics/channel/${channel.id}` });
  const keys = new Keyboard(page);
  await page.getByRole("heading", { name: "design", level: 1 }).waitFor();

  await keys.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await keys.type("Channel sett");
  await keys.press("Enter");
  await page.getByRole("heading", { name: "General", level: 2 }).waitFor();
  await keys.tabTo(/^Public$/);
  await keys.press("ArrowDown");
  await page.getByText("Members who are not subscribed can no longer find").waitFor();
  await keys.tabTo(/^Change$/);
  await keys.press("Enter");
  await expect
    .poll(() => realm.ctx.db.selectFrom("channels").select("invite_only").where("id", "=", channel.id).execute())
    .toEqual([{ invite_only: true }]);

  await keys.tabTo(/^Find a setting$/, "Shift+Tab");
  await keys.type("add people");
  await keys.press("Enter");
  await keys.untilFocusOn(/^Add people$|^Who can add people$/);
  await page.getByRole("heading", { name: "People", level: 2 }).waitFor();
  await keys.untilFocusOn(/^Add people$/);
  await keys.type("cy");
  await page.getByRole("option", { name: /^cy/ }).waitFor();
  await keys.press("Enter");
  await keys.press("Enter");
  await page.getByText("1 person added.").waitFor();
  await page.getByText("3 subscribers").waitFor();
  await keys.tabTo(/^Remove cy$/);
  await keys.press("Enter");
  await page.getByText("2 subscribers").waitFor();
});

// The organization's settings
test("W6: an owner changes a permission, and adds, tries and moves linkifiers", async () => {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: 100 });
  const page = await openClient(owner, { at: "#organization" });
  const keys = new Keyboard(page);
  await page.getByRole("navigation", { name: "Sections" }).waitFor();

  await keys.tabTo(/^Find a setting/);
  await keys.type("create public channels");
  await keys.press("Enter");
  await keys.untilFocusOn(/^Who can create public channels|^Remove Members/);
  if (!(await keys.focused()).startsWith("Who can create public")) await keys.tabTo(/^Who can create public channels/);
  await keys.press("Backspace");
  await keys.type("moder");
  await page.getByRole("listbox").getByRole("option", { name: "Moderators" }).waitFor();
  await keys.press("Enter");
  const setting = page.locator("#setting-can_create_public_channel_group");
  await setting.getByText("Moderators").waitFor();
  await setting.getByText("Saved").waitFor();

  await keys.tabTo(/^Find a setting/, "Shift+Tab");
  await keys.press("Control+a");
  await keys.type("linkifier");
  await keys.press("Enter");
  for (const [pattern, text] of [
    ["#(?P<id>[0-9]+)", "#12"],
    ["HED-(?P<id>[0-9]+)", "HED-7"],
  ] as const) {
    await keys.untilFocusOn(/^Add linkifier/);
    await keys.press("Enter");
    await keys.untilFocusOn(/^Pattern/);
    await keys.type(pattern);
    await keys.tabTo(/^URL template/);
    await keys.type("https://bugs.example.org/{id}");
    await keys.tabTo(/^Text to try/);
    await keys.press("Control+a");
    await keys.type(text);
    await page.getByRole("dialog").getByRole("link", { name: text }).waitFor();
    await keys.tabTo(/^Add linkifier/);
    await keys.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("list", { name: "Linkifiers" }).getByText(pattern).waitFor();
  }
  await keys.tabTo(/^Move HED/);
  await keys.press("ArrowUp");

  await expect
    .poll(async () => success(await owner.call(getLinkifiers, {})).linkifiers.map(({ pattern }) => pattern))
    .toEqual(["HED-(?P<id>[0-9]+)", "#(?P<id>[0-9]+)"]);
  await keys.untilFocusOn(/^Move HED/);
});

// Personal settings
test("W6: settings are found, changed and left", async () => {
  const { ada, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  const keys = new Keyboard(page);
  await messages(page).getByText("colours").waitFor();

  await keys.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await keys.type("24-hour");
  await page.getByRole("option", { name: /24-hour clock/ }).waitFor();
  await keys.press("Enter");
  await keys.untilFocusOn(/^24-hour clock/);
  await keys.press("Space");
  await page.locator("#setting-twenty_four_hour_time").getByText("Saved").waitFor();
  await keys.tabTo(/^Find a setting/, "Shift+Tab");
  await keys.type("collect");
  await page.getByRole("link", { name: /Collect messages/ }).waitFor();
  await keys.press("Enter");
  await keys.untilFocusOn(/^Collect messages/);
  const before = await page.getByLabel("Collect messages").inputValue();
  await keys.press("ArrowDown");
  await page.locator("#setting-email_notifications_batching_period_seconds").getByText("Saved").waitFor();

  expect(await page.getByLabel("Collect messages").inputValue()).not.toBe(before);
});

// People in the administration.
test("W6: an administrator finds a user, changes the role, deactivates two others, and creates a group", async () => {
  const realm = await newRealm();
  const [bo] = await Promise.all(["bo", "cy", "dee"].map((name) => realm.user(name)));
  const page = await openClient(realm.admin, { at: "#organization/users" });
  const keys = new Keyboard(page);
  await page.getByRole("row").filter({ hasText: "dee" }).waitFor();

  await keys.tabTo(/^Find by name/);
  await keys.type("bo");
  await page.getByText("1 user", { exact: true }).waitFor();
  await keys.press("Enter");
  await keys.untilFocusOn(/^bo\b/m);
  await keys.press("Enter");
  await page.getByRole("heading", { name: "bo" }).waitFor();
  await keys.tabTo(/^Member/);
  await keys.press("ArrowUp");
  await expect.poll(() => page.getByRole("radio", { name: "Moderator" }).isChecked()).toBe(true);

  await keys.tabTo(/^Back to the list/, "Shift+Tab");
  await keys.press("Enter");
  await page.getByText("4 users").waitFor();
  await keys.tabTo(/^Find by name/);
  await keys.press("Enter", "End", "Home", "ArrowDown");
  await keys.untilFocusOn(/^cy\b/m);
  await keys.press("Space", "ArrowDown", "Space");
  await page.getByText("2 selected").waitFor();
  await keys.tabTo(/^Deactivate$/, "Shift+Tab");
  await keys.press("Enter");
  await page.getByRole("dialog", { name: "Deactivate 2 users?" }).waitFor();
  await keys.tabTo(/^Deactivate$/);
  await keys.press("Enter");
  await page.getByText("Done for 2 users.").first().waitFor();
  await page.getByText("2 users", { exact: true }).waitFor();

  await keys.tabTo(/^User groups/, "Shift+Tab");
  await keys.press("Enter");
  await keys.tabTo(/^Create a group/);
  await keys.press("Enter");
  await page.getByRole("dialog", { name: "Create a group" }).waitFor();
  await keys.type("crew");
  await keys.press("Enter");
  await page.getByRole("heading", { name: "crew" }).waitFor();
  await keys.tabTo(/^Add people or groups/);
  await keys.type("bo");
  await page.getByRole("option").first().waitFor();
  await keys.press("Enter");
  await page.getByRole("listitem").getByText("bo", { exact: true }).waitFor();

  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  expect(user_groups.find(({ name }) => name === "crew")?.members).toContain(bo?.id);
});
