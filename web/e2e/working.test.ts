/** People working together: everyone's actions show at once, to themselves and to others. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { register } from "@skein/api/registration.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { getSubscriptions } from "@skein/api/subscriptions.ts";
import { createScheduledMessage, getScheduledMessages } from "@skein/api/scheduled-messages.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import { deliverScheduledMessage } from "../../server/src/domain/messages/scheduled-messages/deliver.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { composer, goTo, messages, newRealm, openClient, send, useClient } from "./client.ts";

useClient();

const row = (page: Page, text: string) => messages(page).filter({ hasText: text });

/** A topic in which Ada wrote; Bo is in the channel, Cy is not. */
async function topicOf(texts: string[]) {
  const realm = await newRealm();
  const [ada, bo, cy] = await Promise.all([realm.user("ada"), realm.user("bo"), realm.user("cy")]);
  const channel = await channelOf([ada, bo], "design");
  const ids: number[] = [];
  for (const content of texts)
    ids.push(await sendToChannel(ada, channel, { topic: "logo", content, readBySender: true }));
  const open = async (user: TestUser) => {
    const page = await openClient(user, { at: `#narrow/channel/${channel.id}/topic/logo` });
    await row(page, texts.at(-1) ?? "").waitFor();
    return page;
  };
  return { ada, bo, cy, ids, open };
}

/** Only Ada looks at it. */
async function oneInTopic(...texts: string[]) {
  const topic = await topicOf(texts);
  return { ...topic, page: await topic.open(topic.ada) };
}

/** Both look at it. */
async function twoInTopic(...texts: string[]) {
  const topic = await topicOf(texts);
  const [first, second] = await Promise.all([topic.open(topic.ada), topic.open(topic.bo)]);
  return { ...topic, first, second };
}

/** The onboarding hints the server would show them. */
async function unfinishedSteps(user: TestUser): Promise<string[]> {
  const { onboarding_steps } = success(await user.call(register, { fetch_event_types: ["onboarding_steps"] }));
  return (onboarding_steps ?? []).map(({ name }) => name);
}

test("two people see each other's messages, and who is typing", async () => {
  const { first, second } = await twoInTopic("colours");

  await composer(first).pressSequentially("Hello Bo");
  await second.getByText("ada is typing").waitFor();
  await first.keyboard.press("Control+Enter");
  await messages(second).getByText("Hello Bo").waitFor();
  await send(second, "Hello Ada");
  await messages(first).getByText("Hello Ada").waitFor();

  expect(await messages(first).count()).toBe(3);
  await second.getByText("ada is typing").waitFor({ state: "detached" });
});

test("on the first day a channel explains topics, until one was opened", async () => {
  const { bo, open } = await topicOf(["colours"]);
  const page = await open(bo);
  const channel = page.getByRole("navigation").getByRole("link", { name: "design", exact: true });
  const hint = page.getByText("A topic works like an e-mail subject.");

  await channel.click();
  await hint.waitFor();
  await page.getByRole("main").getByRole("link", { name: /logo/ }).click();
  await row(page, "colours").waitFor();
  await channel.click();
  await page.getByRole("main").getByRole("link", { name: /logo/ }).waitFor();
  expect(await hint.count()).toBe(0);

  await expect.poll(() => unfinishedSteps(bo)).not.toContain("jump_to_conversation_banner");
  await page.reload();
  await page.getByRole("main").getByRole("link", { name: /logo/ }).waitFor();
  expect(await hint.count()).toBe(0);
});

test("a topic is started from its channel and named after its first words", async () => {
  const { ada, page } = await oneInTopic("colours");
  success(await ada.call(updateSettings, { enter_sends: true }));

  await page.getByRole("navigation").getByRole("link", { name: "design", exact: true }).click();
  await composer(page).fill("Which colours shall the logo have?");
  await page.getByPlaceholder("Which colours shall the logo").waitFor();
  await expect
    .poll(async () => {
      // Until the setting has arrived, Enter starts a new line.
      await composer(page).press("Enter");
      return page.getByRole("heading", { level: 1 }).innerText();
    })
    .toContain("Which colours shall the logo");
  await messages(page).getByText("Which colours shall the logo have?").waitFor();
  expect(await messages(page).count()).toBe(1);
});

test("a direct message goes to the chosen people and is highlighted in the sidebar", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  await sendDirect(bo, [ada], { content: "Are you there?" });
  const page = await openClient(ada);

  await page.getByRole("heading", { name: "Direct messages" }).first().waitFor();
  expect(await page.title()).toMatch(/^\(1\) /);
  await page.keyboard.press("x");
  await page.getByLabel("To", { exact: true }).fill("bo");
  await page.getByRole("option", { name: /bo/ }).first().click();
  await page.getByRole("button", { name: "Start conversation" }).click();
  await messages(page).getByText("Are you there?").waitFor();
  await send(page, "Yes");

  await messages(page).getByText("Yes").waitFor();
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
});

test("a message is edited in place, with ↑ or e, and the other person sees it and its history", async () => {
  const { first, second } = await twoInTopic("colours", "teh end");

  await composer(first).press("ArrowUp");
  const field = first.getByRole("textbox", { name: "Edit message" });
  await field.waitFor();
  expect(await field.inputValue()).toBe("teh end");
  await field.fill("the end");
  await first.keyboard.press("Control+Enter");
  await row(first, "the end").waitFor();
  await row(second, "the end").getByText("(edited)").waitFor();

  await row(first, "colours").focus();
  await first.keyboard.press("e");
  await field.fill("no colours");
  await field.press("Escape");
  await field.waitFor({ state: "detached" });
  await first.getByRole("button", { name: "Undo" }).click();
  expect(await field.inputValue()).toBe("no colours");

  await row(second, "the end").focus();
  await second.keyboard.press("Shift+H");
  const panel = second.getByRole("complementary", { name: "Edit history" });
  await panel.getByText("teh").first().waitFor();
  await second.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
});

test("reactions, stars and collapsing show at once; a refusal reverts them with the server's error", async () => {
  const { bo, ids, first, second } = await twoInTopic("colours");
  const message = messages(second).first();
  await message.focus();

  await second.keyboard.press("+");
  await message.getByRole("button", { name: /bo reacted with/, pressed: true }).waitFor();
  await row(first, "colours")
    .getByRole("button", { name: /bo reacted with/, pressed: false })
    .waitFor();
  await second.keyboard.press(":");
  await second.getByRole("combobox", { name: "Search emoji" }).fill("tada");
  await second.keyboard.press("Enter");
  await row(first, "colours").getByText("🎉").waitFor();

  await second.keyboard.press("Control+s");
  await message.getByRole("img", { name: "Starred" }).waitFor();
  await expect.poll(() => flagsFor(bo, ids[0] ?? 0)).toContain("starred");
  await second.keyboard.press("-");
  await message.getByText("Message collapsed").waitFor();
  await second.keyboard.press("-");
  await message.getByText("colours").waitFor();

  await second.route("**/json/messages/*/reactions*", (route) =>
    route.fulfill({ status: 400, json: { result: "error", msg: "No more reactions", code: "BAD_REQUEST" } }),
  );
  await second.keyboard.press("=");
  await second.getByText("No more reactions").first().waitFor();
  await message
    .getByRole("button", { name: /bo reacted with/, pressed: true })
    .first()
    .waitFor();
});

test("messages are moved to a topic, the other person's view follows, and the move can be undone", async () => {
  const { ada, ids, first, second } = await twoInTopic("colours", "type", "lunch?");

  await row(first, "lunch?").focus();
  await first.keyboard.press("m");
  const dialog = first.getByRole("dialog", { name: "Move messages" });
  await dialog.getByRole("radio", { name: "Only this message" }).check();
  await dialog.getByRole("textbox", { name: "Topic" }).fill("food");
  await dialog.getByText("everyone can see it").waitFor();
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await row(second, "lunch?").waitFor({ state: "detached" });
  expect((await messageFor(ada, ids[2] ?? 0)).subject).toBe("food");

  await first.getByRole("button", { name: "Undo" }).click();
  await row(second, "lunch?").waitFor();
  expect((await messageFor(ada, ids[2] ?? 0)).subject).toBe("logo");
});

test("a topic is followed, muted and resolved", async () => {
  const { first, second } = await twoInTopic("colours");

  await row(second, "colours").focus();
  await second.keyboard.press("Shift+M");
  await second.getByRole("menuitemradio", { name: /^Follow/ }).click();
  await second.getByRole("button", { name: "Notifications: Follow" }).waitFor();
  await second.keyboard.press("Shift+M");
  await second.getByRole("menuitemradio", { name: /^Mute/ }).click();
  await second.getByRole("button", { name: "Notifications: Mute" }).waitFor();

  await first.getByRole("button", { name: "Mark as resolved" }).click();
  await second.getByRole("button", { name: "Mark as unresolved" }).waitFor();
  expect(second.url()).toContain("/topic/.E2.9C.94.20logo");
});

test("a search by words and filters highlights matches, and can be widened", async () => {
  const { cy, page } = await oneInTopic("the colour teal", "something else");
  const other = await channelOf([cy], "elsewhere");
  await sendToChannel(cy, other, { topic: "paint", content: "vermilion it is" });

  await row(page, "teal").focus();
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: "Search messages" });
  await field.fill("sender:ad");
  await page.getByRole("option", { name: /sender: ada/ }).waitFor();
  await field.press("Enter");
  await field.fill("teal");
  await field.press("Enter");
  await row(page, "the colour").locator(".highlight", { hasText: "teal" }).waitFor();
  await page.getByText("1 message").waitFor();
  await row(page, "the colour").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "logo", level: 1 }).waitFor();
  expect(await row(page, "the colour").locator(".highlight").count()).toBe(0);

  await goTo(page, "#narrow/search/logo");
  await page
    .getByRole("link", { name: /design/ })
    .locator("mark", { hasText: "logo" })
    .first()
    .waitFor();
  await goTo(page, "#narrow/search/vermilion");
  await page.getByRole("button", { name: "Search all public channels" }).click();
  await row(page, "vermilion").waitFor();
});

test("both people vote in a poll, and a message is deleted for both", async () => {
  const { ada, ids, first, second } = await twoInTopic("colours");
  await composer(first).fill("/poll Which?\nteal\nplum");
  await first.keyboard.press("Control+Enter");
  await second.getByRole("button", { name: "teal: 0 votes" }).click();
  await first.getByRole("button", { name: "teal: 1 vote" }).click();
  await second.getByRole("button", { name: "teal: 2 votes" }).waitFor();
  expect(await second.getByRole("button", { name: "Edit question" }).count()).toBe(0);
  await first.getByRole("button", { name: "Edit question" }).click();
  await first.getByRole("textbox", { name: "Edit question" }).fill("Which colour?");
  await first.keyboard.press("Enter");
  await second.getByRole("group", { name: "Which colour?" }).waitFor();
  await send(first, "/todo Chores\nsweep");
  await first.getByRole("button", { name: "Edit title" }).click();
  await first.getByRole("textbox", { name: "Edit title" }).fill("Errands");
  await first.keyboard.press("Enter");
  await second.getByRole("group", { name: "Errands" }).waitFor();

  await row(first, "colours").focus();
  await first.keyboard.press("i");
  await first.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = first.getByRole("dialog", { name: "Delete this message?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await row(second, "colours").waitFor({ state: "detached" });
  expect(await ada.request("GET", `/messages/${ids[0]}`)).toMatchObject({ result: "error" });
});

test("a mentioned person who is not in the channel can be added before sending", async () => {
  const { cy, page } = await oneInTopic("colours");

  await composer(page).pressSequentially("Look @cy");
  await page.getByRole("option", { name: /cy/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("cy isn’t in this channel").waitFor();
  await page.getByRole("button", { name: "Add to channel" }).click();
  await page.getByText("cy isn’t in this channel").waitFor({ state: "detached" });

  const { subscriptions } = success(await cy.call(getSubscriptions, {}));
  expect(subscriptions.map(({ name }) => name)).toContain("design");
});

const scheduled = async (user: TestUser) => success(await user.call(getScheduledMessages, {})).scheduled_messages;

test("a message is scheduled; the draft stays until the server has it", async () => {
  const { ada, page } = await oneInTopic("colours");
  success(await ada.call(updateSettings, { timezone: "Asia/Tokyo" }));
  const later = page.getByRole("button", { name: "Send later" });
  await composer(page).fill("Good morning");
  await page.route("**/json/scheduled_messages", (route) =>
    route.fulfill({ status: 400, json: { result: "error", msg: "Not today", code: "BAD_REQUEST" } }),
  );
  await later.click();
  await page.getByRole("menuitem", { name: /^In 1 hour/ }).click();
  await page.getByText("Not scheduled: Not today").first().waitFor();
  expect(await composer(page).inputValue()).toBe("Good morning");
  await page.unroute("**/json/scheduled_messages");

  await later.click();
  await page.getByText("Time zone: Asia/Tokyo").waitFor();
  await page.getByRole("menuitem", { name: /^Tomorrow at 9:00/ }).click();
  await page.getByText("Scheduled for").first().waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("");
  const [message] = await scheduled(ada);
  expect(message?.content).toBe("Good morning");
  expect(new Date((message?.scheduled_delivery_timestamp ?? 0) * 1000).getUTCHours()).toBe(0);
  await page.reload();
  await messages(page).getByText("colours").waitFor();
  expect(await composer(page).inputValue()).toBe("");
});

test("a time is picked, and a scheduled message is edited, canceled, restored and sent now", async () => {
  const { ada, page } = await oneInTopic("colours");
  await composer(page).fill("Good morning");
  await page.getByRole("button", { name: "Send later" }).click();
  await page.getByRole("menuitem", { name: "Pick a time…" }).click();
  const picking = page.getByRole("dialog", { name: "Schedule message" });
  await picking.getByLabel("Date and time").fill("2099-03-05T09:30");
  await picking.getByRole("button", { name: "Schedule" }).click();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const list = page.getByRole("main").getByRole("listitem");
  await list.getByText("Good morning").waitFor();
  await list.getByText(/Mar 5, 2099, 9:30/).waitFor();

  await list.getByRole("button", { name: "Edit scheduled message" }).click();
  const editing = page.getByRole("dialog", { name: "Edit scheduled message" });
  await editing.getByLabel("Message").fill("Good afternoon");
  await editing.getByLabel("Date and time").fill("2001-03-05T15:00");
  await editing.getByRole("button", { name: "Save" }).click();
  // The browser refuses a time before now, and so does the server.
  expect(await scheduled(ada)).toMatchObject([{ content: "Good morning" }]);
  await editing.getByLabel("Date and time").fill("2099-03-05T15:00");
  await editing.getByRole("button", { name: "Save" }).click();
  await editing.waitFor({ state: "detached" });
  await list.getByText("Good afternoon").waitFor();
  expect(await scheduled(ada)).toMatchObject([{ content: "Good afternoon" }]);

  await list.getByRole("button", { name: "Don’t send" }).click();
  await list.getByText("Good afternoon").waitFor({ state: "detached" });
  await expect.poll(() => scheduled(ada)).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("button", { name: "Send now" }).click();
  await list.getByText("Good afternoon").waitFor({ state: "detached" });
  await page.goBack();
  await row(page, "Good afternoon").waitFor();
  expect(await scheduled(ada)).toEqual([]);
});

test("a scheduled message that could not be sent is shown in the Inbox and can be sent after all", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  const channel = await channelOf([bo, ada], "secret", { isPrivate: true });
  const when = Math.floor(Date.now() / 1000) + 86_400;
  const { scheduled_message_id: id } = success(
    await ada.call(createScheduledMessage, {
      type: "channel",
      to: channel.id,
      topic: "plans",
      content: "later",
      scheduled_delivery_timestamp: when,
    }),
  );
  success(await ada.call(unsubscribe, { subscriptions: ["secret"] }));
  const page = await openClient(ada);
  await realm.ctx.db
    .updateTable("scheduled_messages")
    .set({ deliver_at: new Date(Date.now() - 1000) })
    .where("id", "=", id)
    .execute();
  await deliverScheduledMessage.run(realm.ctx, { id }, { attempt: 1, maxAttempts: 1 });

  await page.getByRole("link", { name: "1 scheduled message couldn’t be sent." }).click();
  await page.getByText("Couldn’t be sent.").waitFor();
  await page.getByRole("button", { name: "Edit scheduled message" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Date and time").fill("2099-03-05T15:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  // The channel is still out of reach.
  await dialog.getByRole("alert").waitFor();
  expect(await scheduled(ada)).toMatchObject([{ failed: true }]);
});
