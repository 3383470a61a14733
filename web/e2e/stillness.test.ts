/** W3. The page never moves under the reader: in no painted frame has the watched message moved by more than a pixel. */
import { addReaction } from "@skein/api/reactions.ts";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { success } from "../../server/test/realm.ts";
import { sendToChannel } from "../../server/test/actions.ts";
import { picture, uploadAs } from "./files.ts";
import { goTo, messages, openClient, openPrepared, useClient } from "./client.ts";
import { numbered, talk } from "./topic.ts";

useClient();

/** Watches each frame from now on; returns a function for the maximum distance the message moved. */
async function watch(page: Page, text: string): Promise<() => Promise<number>> {
  const row = await messages(page)
    .filter({ has: page.getByText(text, { exact: true }) })
    .elementHandle();
  await page.evaluate((element) => {
    const watched = element as HTMLElement;
    const message = watched.querySelector("[data-message]") ?? watched;
    const before = message.getBoundingClientRect().top;
    const seen = globalThis as unknown as { shift: number; frames: number };
    seen.shift = 0;
    seen.frames = 0;
    const look = (): void => {
      seen.frames++;
      seen.shift = Math.max(seen.shift, Math.abs(message.getBoundingClientRect().top - before));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, row);
  return async () => {
    const frames = () => page.evaluate<number>("frames");
    const until = (await frames()) + 3;
    await expect.poll(frames).toBeGreaterThan(until);
    return page.evaluate<number>("shift");
  };
}

test("W3: pages of older messages loaded above do not move what the user looks at", async () => {
  const { ada, ids, at } = await talk(numbered(170));
  const page = await openClient(ada, { at: `${at}/near/${ids[120]}` });
  await page.getByText("Message 121", { exact: true }).waitFor();

  const shifts = await page.evaluate<number[]>(`(async () => {
    const scroller = document.querySelector('[role=feed]').parentElement;
    const shifts = [];
    let watched, wanted;
    const look = () => {
      if (watched?.isConnected) shifts.push(Math.abs(watched.getBoundingClientRect().top - wanted));
    };
    for (let step = 0; step < 60; step++) {
      look();
      const top = scroller.getBoundingClientRect().top;
      watched = [...document.querySelectorAll('[role=feed] article')].find((each) => each.getBoundingClientRect().top > top + 80);
      wanted = watched.getBoundingClientRect().top + Math.min(300, scroller.scrollTop);
      scroller.scrollTop -= 300;
      for (let frame = 0; frame < 2; frame++) {
        await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
        look();
      }
    }
    return shifts;
  })()`);

  expect(Math.max(...shifts)).toBeLessThanOrEqual(1);
  expect(await messages(page).count()).toBeLessThanOrEqual(145);
  await page.getByText("Message 1", { exact: true }).waitFor();
});

test("W3: late images, edits, reactions and new messages move nothing; at the end the view follows", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(8));
  const url = await uploadAs(bo, "teal.png", await picture());
  await sendToChannel(bo, channel, { topic: "logo", content: `[A teal square](${url})` });
  const watched = await sendToChannel(bo, channel, { topic: "logo", content: "look here" });
  for (const content of numbered(14)) await sendToChannel(bo, channel, { topic: "logo", content: `below ${content}` });
  const held = Promise.withResolvers<void>();
  const page = await openPrepared(ada, `${at}/near/${watched}`, (empty) =>
    empty.route(/user_uploads|thumbnail/, (route) => held.promise.then(() => route.continue())),
  );
  await messages(page).getByText("look here").waitFor();
  await page.evaluate("document.querySelector('[role=feed]').parentElement.scrollBy(0, -150)");
  const image = page.locator(".message_inline_image img");
  await image.waitFor({ state: "attached" });
  const shift = await watch(page, "look here");

  held.resolve();
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  const longer = `Message 8\n\n${"much longer than before\n\n".repeat(9)}`;
  await bo.request("PATCH", `/messages/${ids[7]}`, { content: longer });
  await messages(page).getByText("much longer than before").first().waitFor({ state: "attached" });
  success(await bo.call(addReaction, { message_id: ids[6] ?? 0, emoji_name: "tada" }));
  await messages(page).getByText("🎉").waitFor({ state: "attached" });
  await sendToChannel(bo, channel, { topic: "logo", content: "arrived below" });
  await messages(page).getByText("arrived below").waitFor({ state: "attached" });
  expect(await shift()).toBeLessThanOrEqual(1);

  await page.getByRole("button", { name: "Latest" }).click();
  await messages(page).getByText("arrived below").waitFor();
  await sendToChannel(bo, channel, { topic: "logo", content: "followed" });
  const last = messages(page).filter({ hasText: "followed" });
  await expect.poll(() => last.evaluate((row) => row.getBoundingClientRect().bottom < innerHeight)).toBe(true);
});

test("W3: Back and a reload return to the same place and position", async () => {
  const { ada, ids, at } = await talk(numbered(60));
  const page = await openClient(ada, { at: `${at}/near/${ids[30]}` });
  const message = messages(page).filter({ has: page.getByText("Message 29", { exact: true }) });
  const top = () => message.locator("[data-message]").evaluate((element) => element.getBoundingClientRect().top);
  await page.getByText("Message 31", { exact: true }).waitFor();
  await page.evaluate("document.querySelector('[role=feed]').parentElement.scrollBy(0, -333)");
  const before = await top();

  await goTo(page, "#inbox");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  await page.goBack();
  await expect.poll(top).toBeCloseTo(before, 0);
  await page.reload();

  await expect.poll(top).toBeCloseTo(before, 0);
});

test("W3: switching between two conversations shows each at its end, however often", async () => {
  const { ada, channel } = await talk([]);
  for (const topic of ["logo", "type"])
    for (const content of numbered(130)) await sendToChannel(ada, channel, { topic, content, readBySender: true });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo` });
  const last = messages(page).filter({ has: page.getByText("Message 130", { exact: true }) });
  const isInView = () => last.evaluate((row) => row.getBoundingClientRect().bottom < innerHeight);
  // More rows are added above once the first are painted.
  const roomAbove = () => page.evaluate("document.querySelector('[role=feed]').parentElement.scrollTop");

  for (const topic of ["logo", "type", "logo", "type", "logo"]) {
    await page.getByRole("navigation").getByRole("link", { name: topic, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: topic }).waitFor();
    await last.waitFor();
    await expect.poll(roomAbove).toBeGreaterThan(1000);
    expect(await isInView()).toBe(true);
  }
});

test("W3: a message longer than a screen is condensed, and opened and closed without moving its beginning", async () => {
  const long = Array.from({ length: 80 }, (_, n) => `line ${n} of a long text`).join("\n\n");
  const { ada, at } = await talk([...numbered(20), `${long}\n\n[a link at the end](https://example.com)`, "after it"]);
  const page = await openClient(ada, { at });
  const row = messages(page).filter({ hasText: "line 0 of" });
  const more = row.getByRole("button", { name: "Show more" });
  await more.waitFor();
  const height = async (): Promise<number> => (await row.boundingBox())?.height ?? 0;
  const top = async (): Promise<number> => (await row.getByText("line 3 of").boundingBox())?.y ?? -1;
  expect(await height()).toBeLessThan(800);
  await row.getByText("line 3 of").scrollIntoViewIfNeeded();

  // Scrolls if the button is not in view.
  await more.focus();
  const before = await top();
  await page.keyboard.press("Enter");
  const less = row.getByRole("button", { name: "Show less" });
  await less.waitFor();
  await expect.poll(height).toBeGreaterThan(1500);
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  expect(await less.getAttribute("aria-expanded")).toBe("true");
  await less.click();
  await expect.poll(height).toBeLessThan(800);
  await expect.poll(() => row.evaluate((element) => element.getBoundingClientRect().bottom > 0)).toBe(true);

  await row.getByRole("link", { name: "a link at the end" }).focus();
  await less.waitFor();
  expect(await messages(page).filter({ hasText: "after it" }).getByRole("button", { name: "Show more" }).count()).toBe(
    0,
  );
});
