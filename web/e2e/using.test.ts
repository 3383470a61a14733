/** Daily use: sending with Enter, the palette, dropped files, keys in lists, all screen sizes. */
import { sendMessage } from "@skein/api/messages.ts";
import { register } from "@skein/api/registration.ts";
import { updateChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../server/test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { composer, messages, openClient, openPrepared, useClient, withoutStreams } from "./client.ts";
import { picture, uploadAs } from "./files.ts";
import { numbered, talk, textsIn } from "./topic.ts";

useClient();

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });

const enterSends = async (user: TestUser): Promise<boolean | undefined> =>
  success(
    await user.call(register, {
      fetch_event_types: ["user_settings"],
      client_capabilities: { notification_settings_null: true, user_settings_object: true },
    }),
  ).user_settings?.enter_sends;

/** Whether the whole element is on screen. */
async function isOnScreen(page: Page, part: Locator): Promise<boolean> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const box = await part.boundingBox();
  if (!box) return false;
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 0.5 && box.y + box.height <= height + 0.5;
}

/** The HTML of the elements that are not on screen. */
async function offScreen(page: Page, parts: Locator): Promise<string[]> {
  await parts.first().waitFor();
  const all = await parts.all();
  const names = await Promise.all(
    all.map(async (part) => ((await isOnScreen(page, part)) ? undefined : part.evaluate((each) => each.outerHTML))),
  );
  return names.filter((name) => name !== undefined);
}

test("a switch beside Send sets what Enter does, and is stored as the user's setting", async () => {
  const { ada, channel, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  const toggle = page.getByRole("switch", { name: "Enter sends" });

  await toggle.check();
  await composer(page).fill("sent by Enter");
  await composer(page).press("Enter");

  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["colours", "sent by Enter"]);
  await expect.poll(() => enterSends(ada)).toBe(true);
  await toggle.uncheck();
  await composer(page).fill("one");
  await composer(page).press("Enter");
  expect(await composer(page).inputValue()).toBe("one\n");
  await expect.poll(() => enterSends(ada)).toBe(false);
});

test("W6: text typed while the palette loads is kept, and finds a topic of a channel never opened", async () => {
  const { ada, bo, at } = await talk(["colours"]);
  const other = await channelOf([ada, bo], "harbour");
  await sendToChannel(ada, other, { topic: "pilot boats", content: "all read", readBySender: true });
  const loading = Promise.withResolvers<void>();
  const page = await openPrepared(ada, at, (empty) =>
    empty.route(/assets\/palette-.*\.js/, async (route) => {
      await loading.promise;
      await route.continue();
    }),
  );
  await messages(page).getByText("colours").waitFor();
  await composer(page).focus();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("pilot b");
  const address = page.url();
  loading.resolve();

  await page.getByRole("option", { name: /pilot boats/ }).waitFor();
  expect(await page.getByRole("combobox").inputValue()).toBe("pilot b");
  expect(page.url()).toBe(address);
  await page.keyboard.press("Enter");
  await heading(page, "pilot boats").waitFor();
  await page.goBack();
  await heading(page, "logo").waitFor();
  expect(await composer(page).inputValue()).toBe("");
});

/** What the system does when files are dropped on an element. */
const drop = (target: Locator, name: string): Promise<void> =>
  target.evaluate((element, file) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["text"], file, { type: "text/plain" }));
    for (const type of ["dragover", "drop"])
      element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }, name);

test("a file dropped anywhere goes to the composer; without one, a notice says so", async () => {
  const { ada, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  await messages(page).getByText("colours").waitFor();

  await drop(messages(page).first(), "notes.txt");
  await expect.poll(() => composer(page).inputValue()).toMatch(/\[notes\.txt\]\(\/user_uploads\//);
  await drop(page.getByRole("navigation").first(), "more.txt");
  await expect.poll(() => composer(page).inputValue()).toMatch(/\[more\.txt\]\(\/user_uploads\//);

  await page.evaluate("location.hash = '#inbox'");
  await heading(page, "Inbox").waitFor();
  await drop(page.locator("#main"), "lost.txt");
  await page.getByText("Open a conversation to attach files.").first().waitFor();
});

test("without permission to post there is no composer, in the channel and in its topics", async () => {
  const { realm, ada, bo, channel, at } = await talk(["colours"]);
  const only = { direct_members: [bo.id], direct_subgroups: [] };
  success(await realm.admin.call(updateChannel, { stream_id: channel.id, can_send_message_group: { new: only } }));

  const [page, other] = await Promise.all([openClient(ada, { at }), openClient(bo, { at })]);
  await page.getByText("You can’t post in this channel.").waitFor();
  await composer(other).waitFor();
  expect(await composer(page).count()).toBe(0);
  await page.keyboard.press("y");
  await page.getByRole("tab", { name: "Topics" }).waitFor();
  await page.getByText("You can’t post in this channel.").waitFor();
  expect(await composer(page).count()).toBe(0);

  const everybody = { direct_members: [ada.id, bo.id], direct_subgroups: [] };
  success(await realm.admin.call(updateChannel, { stream_id: channel.id, can_send_message_group: { new: everybody } }));
  await composer(page).waitFor();
});

test("W6: navigation keys keep focus in the page, and j, k and Enter work in the Inbox", async () => {
  const { ada, bo, channel, at } = await talk(["colours"]);
  await sendToChannel(bo, channel, { topic: "fonts", content: "serif" });
  await sendDirect(bo, [ada], { content: "psst" });
  const page = await openClient(ada, { at });
  await messages(page).getByText("colours").waitFor();
  const focused = () => page.evaluate<string>("document.activeElement.tagName");

  for (const key of ["t", "a", "*", "d"]) {
    await page.keyboard.press("Escape");
    const before = page.url();
    await page.keyboard.press(key);
    await expect.poll(() => page.url()).not.toBe(before);
    await expect.poll(focused).not.toBe("BODY");
  }
  await page.evaluate(`location.hash = ${JSON.stringify(at)}`);
  for (const [key, tab] of [
    ["y", "Topics"],
    ["s", "Feed"],
  ] as const) {
    await messages(page).getByText("colours").waitFor();
    await page.keyboard.press("Escape");
    await messages(page).first().focus();
    await page.keyboard.press(key);
    await page.getByRole("tab", { name: tab, selected: true }).waitFor();
    await expect.poll(focused).not.toBe("BODY");
    if (key === "y") await page.goBack();
  }

  await page.keyboard.press("Shift+I");
  await heading(page, "Inbox").waitFor();
  const row = () => page.evaluate<string | null>("document.activeElement.getAttribute('href')");
  await page.getByRole("link", { name: /fonts/ }).first().waitFor();
  await page.keyboard.press("j");
  const first = await row();
  await page.keyboard.press("j");
  const second = await row();
  expect(second).not.toBe(first);
  await page.keyboard.press("k");
  expect(await row()).toBe(first);
  await page.keyboard.press("Enter");
  await composer(page).waitFor();
});

test("W8: a server that is back is noticed within five seconds, or at once with Retry now", async () => {
  const { ada, bo, channel, at } = await talk(["colours"]);
  const says = (content: string) => sendToChannel(bo, channel, { topic: "logo", content });
  const page = await openPrepared(ada, at, async (empty) => {
    await empty.clock.install();
    await withoutStreams(empty);
  });
  await messages(page).getByText("colours").waitFor();
  let tries = 0;
  const leave = () =>
    page.context().route(/json\/events\?/, (route) => {
      tries++;
      return route.abort("connectionrefused");
    });
  const comeBack = () => page.context().unroute(/json\/events\?/);
  /** Long enough for the longest pause. */
  const whileAway = async (): Promise<void> => {
    const before = tries;
    await expect
      .poll(async () => {
        await page.clock.runFor(5000);
        return tries - before;
      })
      .toBeGreaterThan(8);
  };

  await leave();
  await says("wakes the waiting read");
  await whileAway();
  await says("while it was away");
  await comeBack();
  await page.clock.runFor(5000);
  await messages(page).getByText("while it was away").waitFor();

  await leave();
  await says("wakes it again");
  await whileAway();
  await says("the second time");
  // Otherwise the client may reconnect by itself before the button is clicked.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100));
  await comeBack();
  await page.getByRole("button", { name: "Retry now" }).click();
  await page.clock.resume();
  await messages(page).getByText("the second time").waitFor();
});

test("a bot's choices are buttons, and a click sends the reply to the same conversation", async () => {
  const { ada, bo, channel, at } = await talk(["colours"]);
  const choice = (short_name: string, long_name: string) => ({
    type: "multiple_choice",
    short_name,
    long_name,
    reply: `answer ${short_name}`,
  });
  const extra_data = {
    type: "choices" as const,
    heading: "Which colour?",
    choices: [choice("A", "Teal"), choice("B", "Amber")],
  };
  const asked = { type: "channel", to: channel.id, topic: "logo", content: "A: Teal, B: Amber" } as const;
  success(await bo.call(sendMessage, { ...asked, widget_content: { widget_type: "zform", extra_data } }));
  const page = await openClient(ada, { at });

  const widget = page.getByRole("group", { name: "Which colour?" });
  await widget.getByRole("button", { name: "B Amber" }).click();

  await messages(page).getByText("answer B").waitFor();
  await expect.poll(() => textsIn(bo, channel.id)).toEqual(["colours", "A: Teal, B: Amber", "answer B"]);
});

test("W6: the sidebar stays at 1024 pixels, is resized by keys and mouse, hidden and shown; the browser remembers", async () => {
  const { ada, at } = await talk(["colours"]);
  const page = await openClient(ada, { at, width: 1024 });
  const sidebar = page.getByRole("navigation", { name: "Conversations" });
  const edge = sidebar.getByRole("separator", { name: "Sidebar width" });
  const width = async (): Promise<number> => Math.round((await sidebar.boundingBox())?.width ?? 0);
  await messages(page).getByText("colours").waitFor();
  expect(await width()).toBe(264);

  await edge.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(width).toBe(280);
  await page.keyboard.press("Home");
  await expect.poll(width).toBe(200);
  expect(await edge.getAttribute("aria-valuenow")).toBe("200");
  const box = await edge.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 4, 300);
  await page.mouse.down();
  await page.mouse.move(330, 310, { steps: 3 });
  await page.mouse.up();
  await expect.poll(width).toBe(330);
  await page.reload();
  await messages(page).getByText("colours").waitFor();
  expect(await width()).toBe(330);

  await sidebar.getByRole("button", { name: "Hide sidebar" }).click();
  await sidebar.waitFor({ state: "hidden" });
  const show = page.getByRole("button", { name: "Open sidebar" });
  expect(await show.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.reload();
  await messages(page).getByText("colours").waitFor();
  expect(await sidebar.isVisible()).toBe(false);
  await messages(page).last().focus();
  await page.keyboard.press("q");
  await sidebar.waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Filter");
  expect(await width()).toBe(330);
});

test("W6: the sidebar counts drafts as drafts, and keeps the open topic when it is resolved", async () => {
  const { ada, channel, bo, at } = await talk(["colours"]);
  for (let n = 0; n < 9; n++) await sendToChannel(bo, channel, { topic: `topic ${n}`, content: "more" });
  const page = await openClient(ada, { at });
  const sidebar = page.getByRole("navigation", { name: "Conversations" });
  await composer(page).fill("unfinished");

  await sidebar.getByRole("link", { name: "Drafts & scheduled 1 draft", exact: true }).waitFor();
  await page.getByRole("button", { name: "Mark as resolved" }).click();
  const current = sidebar.locator("[aria-current]");
  await expect.poll(() => current.allInnerTexts()).toEqual([expect.stringContaining("logo")]);
  await page.getByRole("button", { name: "Mark as unresolved" }).waitFor();
  await expect.poll(() => current.allInnerTexts()).toEqual([expect.stringContaining("logo")]);
});

test("at 1024 pixels the details do not cover Send", async () => {
  const { ada, at } = await talk(numbered(3));
  const page = await openClient(ada, { at: `${at}?panel=details/people`, width: 1024 });
  await page.getByRole("complementary", { name: "Details" }).waitFor();

  const send = page.getByRole("button", { name: "Send", exact: true });
  await composer(page).fill("words");
  await expect.poll(() => offScreen(page, send)).toEqual([]);
  // A click that another element would receive fails.
  await send.click({ trial: true });
});

test("on a phone the image viewer, the search and the notification offer fit the screen", async () => {
  const { ada, bo, channel, at } = await talk([]);
  const url = await uploadAs(bo, "a-name-that-is-much-longer-than-any-phone-is-wide-in-one-line.png", await picture());
  await sendToChannel(bo, channel, {
    topic: "logo",
    content: `[a name that is much longer than a phone is wide.png](${url})`,
  });
  const phone = { width: 390, height: 700 };
  const page = await openClient(ada, { at, ...phone });

  await page.locator(".message_inline_image a").first().click();
  const lightbox = page.getByRole("dialog", { name: "Pictures" });
  await expect.poll(() => offScreen(page, lightbox.locator("img, button, a"))).toEqual([]);
  await lightbox.getByRole("button", { name: "Close" }).click();

  await page.evaluate("location.hash = '#inbox'");
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("button", { name: "Search" }).click();
  await expect.poll(() => offScreen(page, page.locator("dialog[open], dialog[open] button"))).toEqual([]);
  await page.keyboard.press("Escape");

  await page.evaluate("localStorage.removeItem('skein.notifications-offered')");
  await sendDirect(bo, [ada], { content: "psst" });
  const offer = page.getByRole("region", { name: "Notices" });
  await offer.getByRole("button", { name: "Turn on" }).waitFor();
  await expect.poll(() => offScreen(page, offer.locator("li, button"))).toEqual([]);
});

/** At which edge of its box a line of text begins. */
const edgeOf = (part: Locator): Promise<"left" | "right"> =>
  part.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return Math.abs(text.left - box.left) <= Math.abs(text.right - box.right) ? "left" : "right";
  });

const directionOf = (part: Locator): Promise<string> => part.evaluate((element) => getComputedStyle(element).direction);

test("what people write runs the way its first letters do, line by line, beside text of the other direction", async () => {
  const realm = await newRealm();
  const [ada, omar] = [await realm.user("ada"), await realm.user("omar", { fullName: "عمر (Omar)" })];
  const channel = await channelOf([ada, omar], "تصميم design");
  const topic = "شعار logo 2";
  await sendToChannel(omar, channel, {
    topic,
    content: "مرحبا Ada, 3 ألوان\n\nTeal or כחול?\n\n```\nlet x = 'שלום';\n```",
  });
  const at = `#narrow/channel/${channel.id}/topic/${encodeURIComponent(topic)}`;
  const page = await openClient(ada, { at });
  const written = messages(page).locator(".content").last();
  await written.getByText("Teal or").waitFor();

  expect(await edgeOf(written.locator("p").nth(0))).toBe("right");
  expect(await edgeOf(written.locator("p").nth(1))).toBe("left");
  expect(await directionOf(written.locator("pre"))).toBe("ltr");
  for (const name of ["عمر (Omar)", topic, channel.name]) {
    const shown = page.getByText(name, { exact: true }).filter({ visible: true });
    await shown.first().waitFor();
    const fromTheLeft = await shown.evaluateAll((parts) =>
      parts.filter((part) => getComputedStyle(part).direction !== "rtl").map((part) => part.outerHTML),
    );
    expect(fromTheLeft).toEqual([]);
  }
  await composer(page).fill("תשובה with English");
  expect(await directionOf(composer(page))).toBe("rtl");
  await composer(page).fill("answer עם עברית");
  expect(await directionOf(composer(page))).toBe("ltr");
  // Right-to-left text makes nothing wider than the screen.
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});

test("on a phone the card for a long time away fits the screen", async () => {
  const { ada, bo, channel, realm } = await talk(["colours"]);
  await sql`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select m.realm_id, m.conversation_id, m.topic_id, m.sender_id, m.client_id, 'x', '<p>x</p>'
    from messages m, generate_series(1, 620) where m.conversation_id = ${channel.id}`.execute(realm.ctx.db);
  await sendDirect(bo, [ada], { content: "back already?" });
  const page = await openClient(ada, { at: "#inbox", width: 390, height: 700 });
  const card = page.getByRole("region", { name: /unread/ });
  await card.waitFor();

  await expect.poll(() => offScreen(page, card)).toEqual([]);
  await expect.poll(() => offScreen(page, card.locator("h2, p, button"))).toEqual([]);
  const cutOff = await card
    .locator("h2, p, button")
    .evaluateAll(
      (parts) =>
        parts.filter((part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1).length,
    );
  expect(cutOff).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  for (const button of await card.getByRole("button").all()) await button.click({ trial: true });
});

test("W1: Escape does not leave a topic with an unfinished text", async () => {
  const { ada, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  await composer(page).fill("unfinished");
  const focused = () => page.evaluate(() => document.activeElement?.tagName);

  for (let press = 0; press < 4; press++) await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.url()).toContain("/topic/logo");
  await composer(page).fill("");
  await page.keyboard.press("Escape");
  await expect.poll(focused).not.toBe("TEXTAREA");
  await page.keyboard.press("Escape");
  await heading(page, "Inbox").waitFor();
});

test("W6: after navigation focus is on the heading of the place, and Back and panels keep theirs", async () => {
  const { ada, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await messages(page).getByText("colours").waitFor();

  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: "Starred" }).press("Enter");
  await expect.poll(focused).toBe("Starred");
  await page.keyboard.press("Shift+I");
  await expect.poll(focused).toBe("Inbox");
  await page.goBack();
  await expect.poll(focused).toBe("Starred");
});

test("the header of a channel opens its people and its settings, and a topic is renamed in its own", async () => {
  const { ada, channel, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  await messages(page).getByText("colours").waitFor();

  await page.getByRole("button", { name: "Conversation actions" }).click();
  await page.getByRole("menuitem", { name: "Rename topic" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename topic" });
  await dialog.getByRole("textbox", { name: "Topic" }).fill("emblem");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await heading(page, "emblem").waitFor();
  expect(await textsIn(ada, channel.id, "emblem")).toContain("colours");
  await page.getByRole("navigation").getByRole("link", { name: "design", exact: true }).click();
  await heading(page, "design").waitFor();
  await page.getByRole("button", { name: "People" }).click();
  await page.getByRole("complementary").getByText("bo").first().waitFor();
  await page.getByRole("button", { name: "Channel settings" }).click();
  await expect.poll(() => page.url()).toContain(`#channels/${channel.id}/design`);
});

test("while a slow server starts the page, placeholders are shown", async () => {
  const { ada } = await talk(["colours"]);
  const answer = Promise.withResolvers<void>();
  const page = await openClient(ada);
  await page.route("**/json/register", async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: "domcontentloaded" });
  const placeholders = page.locator("main").getByRole("status", { includeHidden: true });
  await expect.poll(() => placeholders.count()).toBe(1);
  answer.resolve();
  await heading(page, "Inbox").waitFor();
});
