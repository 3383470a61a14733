/** W4. No unseen message is marked as read, and every bulk mark has an Undo. */
import { register } from "@skein/api/registration.ts";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { muteUser } from "@skein/api/muted-users.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { channelOf, flagsFor, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { goTo, messages, newRealm, openClient, openPrepared, useClient } from "./client.ts";
import { numbered, talk } from "./topic.ts";

useClient();

async function unreadOf(user: TestUser): Promise<{ topics: number[]; direct: number[]; mentions: number[] }> {
  const { unread_msgs } = success(
    await user.call(register, {
      fetch_event_types: ["message", "update_message_flags"],
      client_capabilities: { notification_settings_null: true },
    }),
  );
  const { streams = [], pms = [], mentions = [] } = unread_msgs ?? {};
  return {
    topics: streams.flatMap(({ unread_message_ids }) => unread_message_ids).toSorted((a, b) => a - b),
    direct: pms.flatMap(({ unread_message_ids }) => unread_message_ids),
    mentions,
  };
}

const unreadTopics = async (user: TestUser): Promise<number[]> => (await unreadOf(user)).topics;

/** In milliseconds of the page's own clock. */
const longerThanReading = 5000;

/** Undoes a mark once it is done. A notice stays while the pointer is on it. */
async function undoAfter(page: Page, isDone: () => Promise<void>): Promise<void> {
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.hover();
  await isDone();
  await undo.click();
}

test("W4: only messages on screen become read; skipped ones are offered, and marking them can be undone", async () => {
  const { ada, ids, at } = await talk(numbered(40));

  const page = await openClient(ada, { at });
  await page.getByText("New", { exact: true }).waitFor();
  const seen = await messages(page).evaluateAll(
    (rows) => rows.filter((row) => row.getBoundingClientRect().top < innerHeight).length,
  );
  await expect.poll(() => unreadTopics(ada)).not.toContain(ids[0]);
  const unread = await unreadTopics(ada);
  expect(unread).toContain(ids.at(-1));
  expect(ids.length - unread.length).toBeLessThanOrEqual(seen);

  await page.getByRole("button", { name: "Latest" }).click();
  await expect.poll(() => unreadTopics(ada)).not.toContain(ids.at(-1));
  expect(await unreadTopics(ada)).toContain(ids[20]);
  await page.getByRole("button", { name: "Mark as read" }).first().click();
  await undoAfter(page, async () => {
    await expect.poll(() => unreadTopics(ada)).toEqual([]);
  });

  await expect.poll(() => unreadTopics(ada)).toContain(ids[20]);
});

test("W4: nothing becomes read while the window has no focus, or in a mixed list", async () => {
  const { ada, bo, channel, ids, at } = await talk(["seen by nobody"]);
  const page = await openPrepared(ada, at, async (empty) => {
    await empty.clock.install();
    await empty.addInitScript("document.hasFocus = () => window.isWatched === true");
  });
  await messages(page).getByText("seen by nobody").waitFor();

  await page.clock.runFor(longerThanReading);
  expect(await unreadTopics(ada)).toEqual(ids);
  await goTo(page, "#narrow/search/nobody");
  await page.evaluate("window.isWatched = true");
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await messages(page).getByText("seen by nobody").first().waitFor();
  const later = await sendToChannel(bo, channel, { topic: "logo", content: "the end" });
  await goTo(page, at);

  await expect.poll(() => unreadTopics(ada)).toEqual([]);
  expect(await flagsFor(ada, later)).toContain("read");
});

test("W4: messages marked as unread stay unread while the user looks at them", async () => {
  const { ada, ids, at } = await talk(["one", "two", "three"]);
  const page = await openPrepared(ada, at, (empty) => empty.clock.install());
  await messages(page).getByText("three").waitFor();
  await expect.poll(() => unreadTopics(ada)).toEqual([]);

  await messages(page).filter({ hasText: "two" }).focus();
  await page.keyboard.press("Shift+U");
  await expect.poll(() => unreadTopics(ada)).toEqual(ids.slice(1));
  await page.clock.runFor(longerThanReading);
  expect(await unreadTopics(ada)).toEqual(ids.slice(1));
  await page.keyboard.press("Shift+I");
  await page.getByRole("link", { name: /logo/ }).first().click();

  await expect.poll(() => unreadTopics(ada)).toEqual([]);
});

test("W4: one conversation or all of them are marked as read at once, with an Undo", async () => {
  const { ada, bo, channel, ids } = await talk(["one", "two"]);
  const other = await sendToChannel(bo, channel, { topic: "paint", content: "three" });
  const page = await openClient(ada);
  const row = page.locator("#main li").filter({ hasText: "logo" });

  await row.hover();
  await row.getByRole("button", { name: "Mark as read" }).click();
  await undoAfter(page, async () => {
    await expect.poll(() => unreadTopics(ada)).toEqual([other]);
  });
  await expect.poll(() => unreadTopics(ada)).toEqual([...ids, other]);
  await row.waitFor();

  await page.getByRole("button", { name: "Mark everything as read" }).click();
  await undoAfter(page, async () => {
    await page.getByText("You’re all caught up").waitFor();
    await expect.poll(() => unreadTopics(ada)).toEqual([]);
  });
  await expect.poll(() => unreadTopics(ada)).toEqual([...ids, other]);
  await row.waitFor();
});

test("W4: an Undo while the mark is in flight takes effect on the server too", async () => {
  const { ada, ids } = await talk(["one", "two"]);
  const page = await openClient(ada);
  const held = Promise.withResolvers<void>();
  const marking = page.waitForRequest("**/json/messages/flags");
  const answers = Promise.all(
    ["op=add", "op=remove"].map((op) =>
      page.waitForResponse((response) => response.request().postData()?.includes(op) === true && response.ok()),
    ),
  );
  await page.route("**/json/messages/flags", async (route) => {
    if (new URLSearchParams(route.request().postData() ?? "").get("op") === "add") await held.promise;
    await route.continue();
  });

  await page.getByRole("button", { name: "Mark everything as read" }).click();
  await undoAfter(page, async () => void (await marking));
  await page.locator("#main li").filter({ hasText: "logo" }).waitFor();
  held.resolve();
  await answers;

  expect(await unreadTopics(ada)).toEqual(ids);
});

test("W4: after a long absence old messages can be marked as read, except mentions and direct messages, with an Undo", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  const channel = await channelOf([ada, bo], "design");
  const mention = await sendToChannel(bo, channel, { topic: "logo", content: "look, @**ada**" });
  const direct = await sendDirect(bo, [ada], { content: "psst" });
  const many = { type: "channel", to: channel.id, topic: "logo", content: "words" } as const;
  for (let sent = 0; sent < 520; sent += 40)
    await Promise.all(Array.from({ length: 40 }, async () => success(await bo.call(sendMessage, many))));
  const before = await unreadOf(ada);
  const page = await openClient(ada);

  await page.getByRole("heading", { name: "522 unread messages" }).waitFor();
  await page.getByRole("button", { name: /^Mark everything before .* as read$/ }).click();
  await undoAfter(page, async () => {
    await expect.poll(() => unreadTopics(ada)).toEqual([mention, ...before.topics.slice(-100)]);
    expect(await unreadOf(ada)).toMatchObject({ direct: [direct], mentions: [mention] });
    expect(await page.getByRole("button", { name: /^Mark everything before/ }).count()).toBe(0);
  });

  await expect.poll(() => unreadOf(ada)).toEqual(before);
});

test("a muted person's message is collapsed, can be shown, and causes no notification or count anywhere", async () => {
  const { ada, bo, channel, at } = await talk(["from bo"]);
  const cy = await ada.realm.user("cy");
  await sendDirect(cy, [ada], { content: "psst from cy" });
  success(await ada.call(muteUser, { muted_user_id: cy.id }));
  await sendDirect(cy, [ada], { content: "again from cy" });
  await cy.request("POST", "/users/me/subscriptions", { subscriptions: JSON.stringify([{ name: "design" }]) });
  await sendToChannel(cy, channel, { topic: "logo", content: "loud words" });
  const page = await openClient(ada, { at });
  const folded = page.getByRole("button", { name: "Message from someone you muted. Show it" });

  await folded.waitFor();
  expect(await page.getByText("loud words").count()).toBe(0);
  await folded.click();
  await messages(page).getByText("loud words").waitFor();
  await expect.poll(() => unreadTopics(ada)).toEqual([]);
  await goTo(page, "#recent");
  await page.locator("#main li").filter({ hasText: "from bo" }).waitFor();
  expect(await page.getByText(/from cy|loud words/).count()).toBe(0);
  expect(await page.getByRole("link", { name: /^cy/ }).count()).toBe(0);
  await sendToChannel(bo, channel, { topic: "logo", content: "heard" });
  await goTo(page, "#inbox");
  await page.locator("#main li").filter({ hasText: "heard" }).waitFor();

  expect(await page.title()).toMatch(/^\(1\) /);
});

test("an Inbox of 10,000 conversations shows those in view; Home and End reach the first and the last", async () => {
  const { ada } = await talk(["colours"]);
  const topics = Array.from({ length: 10_000 }, (_, n) => ({
    stream_id: 1,
    topic: `topic ${n}`,
    unread_message_ids: [1e8 + n],
  }));
  const page = await openPrepared(ada, "#inbox", (prepared) =>
    prepared.route("**/json/register", async (route) => {
      const response = await route.fetch();
      const state = (await response.json()) as { unread_msgs: object; subscriptions: { stream_id: number }[] };
      const stream_id = state.subscriptions[0]?.stream_id;
      const streams = topics.map((topic) => ({ ...topic, stream_id }));
      await route.fulfill({
        response,
        json: { ...state, unread_msgs: { ...state.unread_msgs, count: 10_000, streams } },
      });
    }),
  );
  const rows = page.locator("#main a[data-row]");
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThan(100);

  await page.locator("#main").focus();
  await page.keyboard.press("End");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^topic 01 unread/);
  await page.keyboard.press("k");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^topic 11 unread/);
  await page.keyboard.press("Home");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^topic 99991 unread/);
  expect(await rows.count()).toBeLessThan(100);
});

test("Home and End go to the very first and the very last message of a long conversation", async () => {
  const { ada, at, ids } = await talk(["the very first", ...numbered(300), "the very last"]);
  const page = await openClient(ada, { at: `${at}/near/${ids[120]}` });
  await messages(page).getByText("Message 120", { exact: true }).waitFor();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Home");
  await messages(page).getByText("the very first").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("the very first");
  await page.keyboard.press("End");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("the very last");
});

test("W4: marking as unread moves the line above new messages, says so, and ends when the reader says so", async () => {
  const { ada, ids, at } = await talk(["one", "two", "three"]);
  const page = await openClient(ada, { at });
  const isNew = (text: string) => messages(page).filter({ hasText: text }).getByText("New", { exact: true });
  await isNew("one").waitFor();
  await expect.poll(() => unreadTopics(ada)).toEqual([]);

  await messages(page).filter({ hasText: "two" }).focus();
  await page.keyboard.press("Shift+U");
  await isNew("two").waitFor();
  expect(await isNew("one").count()).toBe(0);
  const notice = page.getByText("Messages stay unread until you leave this conversation.");
  await notice.first().waitFor();
  await expect.poll(() => unreadTopics(ada)).toEqual(ids.slice(1));
  await page.locator("#main form").locator("..").getByRole("button", { name: "Mark as read" }).click();
  await expect.poll(() => unreadTopics(ada)).toEqual([]);
  await page.locator("#main").getByText("Messages stay unread").waitFor({ state: "detached" });
});
