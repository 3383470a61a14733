/** W8. Never a dead screen: whatever is lost, the client recovers by itself and keeps place, scroll and text. */
import { deleteQueue } from "@skein/api/registration.ts";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { endBrowserSessions } from "../../server/src/domain/auth/browser-sessions.ts";
import { announceTo, ownAnnouncement } from "../../server/src/domain/releases/announce.ts";
import { revoke } from "../../server/src/events/revoke.ts";
import { transaction } from "../../server/src/platform/db/transaction.ts";
import { startNode, stopNode } from "../../server/test/nodes.ts";
import { newRealm, success, type TestUser } from "../../server/test/realm.ts";
import { password, withPassword } from "../../server/test/test-browser.ts";
import { channelOf, say } from "../../server/test/talk.ts";
import { startBalancer } from "./balancer.ts";
import { composer, messages, openClient, openPrepared, openTab, send, useClient } from "./client.ts";
import { numbered, talk, textsIn } from "./topic.ts";

useClient();

/** Somebody in the middle of a long topic, who has begun to write; `now` tells whether they still are. */
async function inTheMiddle(page: Page) {
  const message = messages(page).filter({ has: page.getByText("Message 12", { exact: true }) });
  const top = () => message.locator("[data-message]").evaluate((element) => element.getBoundingClientRect().top);
  await message.waitFor();
  await page.evaluate("document.querySelector('[role=feed]').parentElement.scrollBy(0, -77)");
  const before = await top();
  await composer(page).fill("being typed");
  const now = async () => ({
    address: page.url(),
    text: await composer(page).inputValue(),
    hasMoved: Math.abs((await top()) - before) > 1,
  });
  return { now, untouched: { address: page.url(), text: "being typed", hasMoved: false } };
}

/** Somebody at the end of a topic hears what is said there. */
async function hears(page: Page, says: (text: string) => Promise<unknown>, text: string): Promise<void> {
  await says(text);
  await messages(page).getByText(text).waitFor({ state: "attached" });
}

/** The queue the page is asking with, from its next question on. */
const queueOf = async (page: Page, act: () => Promise<unknown>): Promise<string> => {
  const [request] = await Promise.all([page.waitForRequest(/json\/events\?/), act()]);
  return new URL(request.url()).searchParams.get("queue_id") ?? "";
};

test("W8: a lost network: what came meanwhile is there, and nothing one looks at has moved", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}` });
  const { now, untouched } = await inTheMiddle(page);

  await page.context().setOffline(true);
  await say(bo, channel, { topic: "logo", content: "missed" });
  await page.context().setOffline(false);

  await messages(page).getByText("missed").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
});

test("W8: a lost node: another goes on where it ended", async () => {
  const [dying, living] = [await startNode({ environment: { SKEIN_ROLES: "api" } }), await startNode()];
  const { ada, bo, channel, at, ids } = await talk(numbered(20), await newRealm([living]));
  const balancer = await startBalancer(dying);
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}`, site: balancer.url });
  const { now, untouched } = await inTheMiddle(page);

  balancer.cut();
  await stopNode(dying);
  await say(bo, channel, { topic: "logo", content: "missed" });
  balancer.leadTo(living);

  await messages(page).getByText("missed").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
  await hears(page, (content) => say(bo, channel, { topic: "logo", content }), "heard again");
});

test("W8: an expired queue: a new one is made behind the page", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const says = (content: string) => say(bo, channel, { topic: "logo", content });
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}` });
  const { now, untouched } = await inTheMiddle(page);
  const queue_id = await queueOf(page, () => says("heard"));

  await page.context().setOffline(true);
  success(await ada.call(deleteQueue, { queue_id }));
  await says("missed");
  await page.context().setOffline(false);

  await messages(page).getByText("missed").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
  await hears(page, says, "heard again");
  expect(await queueOf(page, () => says("and again"))).not.toBe(queue_id);
});

test("W8: a laptop that slept for a night wakes up with what came, where one left it", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const says = (content: string) => say(bo, channel, { topic: "logo", content });
  const page = await openPrepared(ada, `${at}/near/${ids[11]}`, (empty) => empty.clock.install());
  const { now, untouched } = await inTheMiddle(page);
  const queue_id = await queueOf(page, () => says("good night"));

  await page.context().setOffline(true);
  success(await ada.call(deleteQueue, { queue_id }));
  await says("in the night");
  await page.clock.fastForward("09:00:00");
  await page.context().setOffline(false);

  await messages(page).getByText("in the night").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
  await hears(page, says, "good morning");
});

/** As by changing the password elsewhere. */
const endSessions = ({ realm, id }: TestUser): Promise<void> =>
  revoke(realm.ctx, "end a test's sessions", (tx) => endBrowserSessions(tx, { id, realm_id: realm.id }));

async function withSession() {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const channel = await channelOf([ada], "design");
  await say(ada, channel, { topic: "logo", content: "before", readBySender: true });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo` });
  await messages(page).getByText("before").waitFor();
  const dialog = page.getByRole("dialog", { name: "Log in again" });
  const logIn = async (given: string): Promise<void> => {
    await dialog.getByLabel("Password", { exact: true }).fill(given);
    await page.keyboard.press("Enter");
  };
  return { ada, channel, page, dialog, logIn };
}

test("W8: a session that ended: one logs in over the page, which is as it was", async () => {
  const { ada, channel, page, dialog, logIn } = await withSession();
  await composer(page).fill("being typed");

  await endSessions(ada);
  // The question for events, which is always open, tells of it.
  await dialog.waitFor();
  await logIn("wrong");
  await dialog.getByRole("alert").waitFor();
  await logIn(password);
  await dialog.waitFor({ state: "detached" });

  expect(await composer(page).inputValue()).toBe("being typed");
  await send(page, "after");
  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["before", "after"]);
  await hears(page, (content) => say(ada, channel, { topic: "logo", content }), "heard again");
});

test("W8: a message sent into a session that has ended waits for the next, and goes out once", async () => {
  const { ada, channel, page, dialog, logIn } = await withSession();
  const held = Promise.withResolvers<void>();
  let posts = 0;
  await page.route("**/json/messages", async (route) => {
    if (route.request().method() === "POST" && ++posts === 1) await held.promise;
    await route.continue();
  });

  await send(page, "into the dark");
  await messages(page).getByText("into the dark").waitFor();
  await endSessions(ada);
  held.resolve();
  await dialog.waitFor();
  await logIn(password);
  await dialog.waitFor({ state: "detached" });

  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["before", "into the dark"]);
  await expect.poll(() => page.getByText("Waiting for the server").count()).toBe(0);
  expect(await messages(page).count()).toBe(2);
});

test("W8: two tabs of one browser show the same, each with its own text, and one may go", async () => {
  const { ada, bo, channel, at } = await talk(["before"]);
  const first = await openClient(ada, { at });
  const second = await openTab(first, first.url().replace("logo", "paint"));
  await composer(first).fill("in the first");
  await composer(second).fill("in the second");

  await composer(second).press("Control+Enter");
  await messages(second).getByText("in the second").waitFor();
  await first.getByRole("link", { name: "paint" }).first().waitFor();
  expect(await composer(first).inputValue()).toBe("in the first");
  await first.close();
  await say(bo, channel, { topic: "paint", content: "heard" });

  await messages(second).getByText("heard").waitFor();
  await second.goto(first.url());
  await second.reload();
  await expect.poll(() => composer(second).inputValue()).toBe("in the first");
});

/** The server has another client from now on: its page names another script. */
async function release(page: Page): Promise<void> {
  await page.route(
    (url) => url.pathname === "/",
    async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/\/assets\/([\w-]+)\.js/, "/assets/next.js");
      await (route.request().isNavigationRequest() ? route.fulfill({ response }) : route.fulfill({ response, body }));
    },
  );
}

const newVersion = (page: Page) => page.getByRole("button", { name: "Reload for the new version" });

test("W8: a new release: a part that is gone says so, and loading the new version keeps place, scroll and text", async () => {
  const { ada, at, ids } = await talk(numbered(20));
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}` });
  const { now, untouched } = await inTheMiddle(page);
  await release(page);
  await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404, body: "" }));

  await page.keyboard.press("Control+k");
  await newVersion(page).waitFor();
  await page.unroute("**/assets/*.js");
  await Promise.all([page.waitForEvent("load"), newVersion(page).click()]);

  await expect.poll(now).toEqual(untouched);
  expect(await newVersion(page).count()).toBe(0);
});

test("W8: a new release is loaded by itself once nobody uses the page and nothing is being written", async () => {
  const { ada, at } = await talk(["hello"]);
  const page = await openPrepared(ada, at, (empty) => empty.clock.install());
  await messages(page).getByText("hello").waitFor();
  await release(page);
  await composer(page).fill("being typed");
  let loads = 0;
  page.on("load", () => loads++);

  await transaction(ada.realm.ctx.db, "announce a test's release", (tx) =>
    announceTo(tx, ada.realm.id, { ...ownAnnouncement(true), release: "the next" }),
  );
  await newVersion(page).waitFor();
  await page.clock.runFor(180_000);
  expect(loads).toBe(0);
  expect(await composer(page).inputValue()).toBe("being typed");
  await composer(page).fill("");
  const loaded = page.waitForEvent("load");
  await page.clock.runFor(61_000);
  await loaded;

  await messages(page).getByText("hello").waitFor();
  expect(loads).toBe(1);
});
