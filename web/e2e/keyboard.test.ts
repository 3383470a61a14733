/** W6. Everything works by keyboard: a day's flows without a mouse. */
import { expect, test } from "vitest";
import { startOwnServer } from "../../server/test/own-server.ts";
import { newRealm } from "../../server/test/realm.ts";
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
  await keys.untilFocusOn(/^bo/);
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
