/** Reading: nothing unseen is marked, the page stays still under the reader, everything can be reached by keys. */
import { register } from "@skein/api/registration.ts";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { success, type TestUser } from "../../server/test/realm.ts";
import { channelOf, say, tell } from "../../server/test/talk.ts";
import { composer, messages, newRealm, openClient, useClient, withPassword } from "./client.ts";

useClient();

async function unreadOf(user: TestUser): Promise<number[]> {
  const { unread_msgs } = success(
    await user.call(register, {
      fetch_event_types: ["message", "update_message_flags"],
      client_capabilities: { notification_settings_null: true },
    }),
  );
  return (unread_msgs?.streams ?? []).flatMap(({ unread_message_ids }) => unread_message_ids);
}

const lines = (number: number): string => `Message ${number}\n\n${"a line that is long enough to be seen ".repeat(3)}`;

async function longTopic(count: number) {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await withPassword(realm, "bo");
  const channel = await channelOf([ada, bo], "design");
  const ids: number[] = [];
  for (let number = 1; number <= count; number++) {
    ids.push(await say(bo, channel, { topic: "logo", content: lines(number) }));
  }
  return { ada, bo, channel, ids, at: `#narrow/channel/${channel.id}/topic/logo` };
}

/** Where a message stands on screen. */
const topOf = (page: Page, text: string): Promise<number> =>
  messages(page)
    .filter({ has: page.getByText(text, { exact: true }) })
    .evaluate((element) => element.getBoundingClientRect().top);

test("only what was on screen becomes read; the rest waits", async () => {
  const { ada, ids, at } = await longTopic(40);

  const page = await openClient(ada, { at });
  await page.getByText("New", { exact: true }).waitFor();
  const seen = await messages(page).evaluateAll(
    (rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight - 100).length,
  );
  await expect.poll(() => unreadOf(ada)).not.toContain(ids[0]);

  const unread = await unreadOf(ada);
  expect(unread).toContain(ids.at(-1));
  expect(ids.length - unread.length).toBeLessThanOrEqual(seen + 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  await expect.poll(() => unreadOf(ada)).not.toContain(ids.at(-1));
  // Those that were passed over have not been seen.
  expect(await unreadOf(ada)).toContain(ids[20]);
});

test("everything can be marked as read at once, and that can be taken back", async () => {
  const { ada, ids } = await longTopic(3);
  const page = await openClient(ada);

  await page.getByRole("button", { name: "Mark everything as read" }).click();
  await page.getByText("All read.").waitFor();
  await expect.poll(() => unreadOf(ada)).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();

  await page.getByRole("link", { name: /logo/ }).first().waitFor();
  await expect.poll(() => unreadOf(ada)).toEqual(ids);
});

test("older messages that are loaded above move nothing that one looks at", async () => {
  const { ada, ids, at } = await longTopic(170);
  const page = await openClient(ada, { at: `${at}/near/${ids[120]}` });
  await page.getByText("Message 121", { exact: true }).waitFor();

  const shifts = await page.evaluate(`(async () => {
    const scroller = document.querySelector('[role=feed]').parentElement;
    const shifts = [];
    for (let step = 0; step < 60; step++) {
      const top = scroller.getBoundingClientRect().top;
      const row = [...document.querySelectorAll('[role=feed] article')].find((each) => each.getBoundingClientRect().top > top + 80);
      const before = row.getBoundingClientRect().top;
      const room = scroller.scrollTop;
      scroller.scrollTop -= 300;
      const wanted = before + Math.min(300, room);
      for (let frame = 0; frame < 3; frame++) {
        await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
        if (row.isConnected) shifts.push(Math.abs(row.getBoundingClientRect().top - wanted));
      }
    }
    return shifts;
  })()`);

  expect(Math.max(...(shifts as number[]))).toBeLessThanOrEqual(1);
  expect(await messages(page).count()).toBeLessThanOrEqual(145);
  await page.getByText("Message 1", { exact: true }).waitFor();
});

test("what arrives is followed at the end, and moves nothing elsewhere", async () => {
  const { ada, bo, channel, at } = await longTopic(40);
  const page = await openClient(ada, { at });
  await page.getByText("Message 1", { exact: true }).waitFor();
  const before = await topOf(page, "Message 3");

  await say(bo, channel, { topic: "logo", content: "arrived below" });
  await page.getByRole("link", { name: /^logo/ }).first().waitFor();
  expect(await topOf(page, "Message 3")).toBeCloseTo(before, 0);
  await page.getByRole("button", { name: "Latest" }).click();
  await messages(page).getByText("arrived below").waitFor();
  await say(bo, channel, { topic: "logo", content: "followed" });

  const last = messages(page).filter({ hasText: "followed" });
  await last.waitFor();
  await expect.poll(() => last.evaluate((row) => row.getBoundingClientRect().bottom < innerHeight)).toBe(true);
});

test("Back leads to where one was, at the place one left", async () => {
  const { ada, channel, ids, at } = await longTopic(60);
  const page = await openClient(ada, { at: `${at}/near/${ids[30]}` });
  await page.getByText("Message 31", { exact: true }).waitFor();
  await page.evaluate("document.querySelector('[role=feed]').parentElement.scrollBy(0, -333)");
  const before = await topOf(page, "Message 29");

  await page.getByRole("link", { name: "Inbox" }).first().click();
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  await page.goBack();
  await page.getByText("Message 29", { exact: true }).waitFor();

  expect(page.url()).toContain(`/channel/${channel.id}`);
  expect(await topOf(page, "Message 29")).toBeCloseTo(before, 0);
});

test("everything of a day's work is done with keys alone", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await withPassword(realm, "bo");
  const channel = await channelOf([ada, bo], "design");
  await say(bo, channel, { topic: "logo", content: "What do you think?" });
  await tell(bo, [ada], { content: "Psst" });
  const page = await openClient(ada);
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();

  await page.keyboard.press("n");
  await messages(page).getByText("Psst").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await messages(page).getByText("What do you think?").waitFor();
  await composer(page).press("Escape");
  await page.keyboard.press("k");
  await page.keyboard.press("+");
  await page.getByRole("button", { name: /reacted with/ }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("I like it");
  await page.keyboard.press("Control+Enter");
  await messages(page).getByText("I like it").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("design");
  await page.getByRole("option", { name: "#design" }).first().waitFor();
  await page.keyboard.press("Enter");

  await page.getByRole("tab", { name: "Topics" }).waitFor();
  await page.keyboard.press("Shift+I");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  expect(page.url()).toContain("#inbox");
});
