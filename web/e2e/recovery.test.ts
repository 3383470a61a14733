/** W8. Never a dead screen: after any loss the client recovers by itself and keeps place, scroll position and text. */
import { deleteMessage } from "@skein/api/deletion.ts";
import { deleteQueue } from "@skein/api/registration.ts";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { endBrowserSessions } from "../../server/src/domain/people/auth/browser-sessions.ts";
import { announceTo, ownAnnouncement } from "../../server/src/domain/organization/releases/announce.ts";
import { revoke } from "../../server/src/events/revoke.ts";
import { transaction } from "../../server/src/platform/db/transaction.ts";
import { Commands } from "../../server/test/commands.ts";
import { startNode, stopNode } from "../../server/test/nodes.ts";
import { startOwnServer } from "../../server/test/own-server.ts";
import { newRealm, success, type TestUser } from "../../server/test/realm.ts";
import { password, withPassword } from "../../server/test/test-browser.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { startBalancer } from "./balancer.ts";
import { composer, goTo, messages, openClient, openPrepared, openTab, send, takeFaults, useClient } from "./client.ts";
import { takeComplaints } from "./contract.ts";
import { numbered, talk, textsIn } from "./topic.ts";

useClient();

/** A user in the middle of a long topic, with text in the composer; `now` returns whether that is still so. */
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

/** A user at the end of a topic receives new messages. */
async function receives(page: Page, says: (text: string) => Promise<unknown>, text: string): Promise<void> {
  await says(text);
  await messages(page).getByText(text).waitFor({ state: "attached" });
}

/** The queue the page polls, from its next request on. */
const queueOf = async (page: Page, act: () => Promise<unknown>): Promise<string> => {
  const [request] = await Promise.all([page.waitForRequest(/json\/events\?/), act()]);
  return new URL(request.url()).searchParams.get("queue_id") ?? "";
};

test("W8: lost network: missed messages appear, and what the user looks at does not move", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}` });
  const { now, untouched } = await inTheMiddle(page);

  await page.context().setOffline(true);
  await sendToChannel(bo, channel, { topic: "logo", content: "missed" });
  await page.context().setOffline(false);

  await messages(page).getByText("missed").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
});

test("W8: lost node: another takes over where it stopped", async () => {
  const [dying, living] = [await startNode({ environment: { SKEIN_ROLES: "api" } }), await startNode()];
  const { ada, bo, channel, at, ids } = await talk(numbered(20), await newRealm([living]));
  const balancer = await startBalancer(dying);
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}`, site: balancer.url });
  const { now, untouched } = await inTheMiddle(page);

  balancer.cut();
  await stopNode(dying);
  await sendToChannel(bo, channel, { topic: "logo", content: "missed" });
  balancer.forwardTo(living);

  await messages(page).getByText("missed").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
  await receives(page, (content) => sendToChannel(bo, channel, { topic: "logo", content }), "heard again");
});

test("W8: expired queue: it is replaced in the background", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const says = (content: string) => sendToChannel(bo, channel, { topic: "logo", content });
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}` });
  const { now, untouched } = await inTheMiddle(page);
  const queue_id = await queueOf(page, () => says("heard"));

  await page.context().setOffline(true);
  success(await ada.call(deleteQueue, { queue_id }));
  await says("missed");
  await page.context().setOffline(false);

  await messages(page).getByText("missed").waitFor({ state: "attached" });
  await expect.poll(now).toEqual(untouched);
  await receives(page, says, "heard again");
  expect(await queueOf(page, () => says("and again"))).not.toBe(queue_id);
});

test("W8: after an expired queue, deleted messages are gone and Recent keeps working", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const says = (content: string, topic = "logo") => sendToChannel(bo, channel, { topic, content });
  const page = await openClient(ada, { at: `${at}/near/${ids[11]}` });
  const { now, untouched } = await inTheMiddle(page);
  const recent = await openTab(page, page.url().replace(/#.*/, "#recent"));
  const rows = recent.getByRole("listitem").filter({ has: recent.getByRole("link") });
  await rows.filter({ hasText: "Message 20" }).waitFor();
  const queues = [await queueOf(page, () => says("heard")), await queueOf(recent, () => says("heard"))];

  await page.context().setOffline(true);
  for (const queue_id of queues) success(await ada.call(deleteQueue, { queue_id }));
  for (const message_id of [ids[1], ids[12], ids[19]])
    success(await bo.call(deleteMessage, { message_id: message_id ?? 0 }));
  await says("another", "paint");
  await page.context().setOffline(false);

  await expect
    .poll(() =>
      messages(page)
        .getByText(/^Message (2|13|20)$/)
        .count(),
    )
    .toBe(0);
  await messages(page).getByText("Message 14", { exact: true }).waitFor();
  await expect.poll(now).toEqual(untouched);
  await rows.filter({ hasText: "paint" }).waitFor();
  await says("and one more", "ink");
  await rows.filter({ hasText: "ink" }).waitFor();
});

test("W8: an event that cannot be applied: the state is fetched again, and everything keeps working", async () => {
  const { ada, bo, channel, at } = await talk(["before"]);
  const says = (content: string) => sendToChannel(bo, channel, { topic: "logo", content });
  const page = await openClient(ada, { at });
  await messages(page).getByText("before").waitFor();
  let isBroken = true;
  await page.route("**/json/events?*", async (route) => {
    const response = await route.fetch().catch(() => undefined); // the page no longer waits for it
    if (!response) return;
    const body = await response.text();
    const isMeant = isBroken && body.includes("broken on its way");
    if (isMeant) isBroken = false;
    await route.fulfill({ response, body: isMeant ? body.replace('"message":{', '"lost":{') : body });
  });
  // The open poll was not routed through here.
  await receives(page, says, "heard as it is");

  const registered = page.waitForResponse(/json\/register/);
  await says("broken on its way");
  await registered;

  await messages(page).getByText("broken on its way").waitFor();
  await receives(page, says, "heard again");
  expect(takeFaults().length).toBeGreaterThan(0);
  await expect.poll(() => takeComplaints().map(({ message }) => message)).toEqual([expect.stringContaining("/lost")]);
});

test("W8: unreadable data in the browser's storage blocks nothing", async () => {
  const { ada, channel, at } = await talk(["before"]);
  const page = await openPrepared(ada, at, (empty) =>
    empty.addInitScript((id) => {
      for (const key of [`skein-drafts-${id}`, `skein-drafts-${id}-x`, `skein-edit-${id}-1`, "skein.recent-emoji"])
        localStorage.setItem(key, "{broken");
      sessionStorage.setItem("skein-kept", "[[[");
    }, ada.id),
  );

  await messages(page).getByText("before").waitFor();
  await send(page, "after");
  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["before", "after"]);
});

test("W8: a laptop that slept overnight wakes up with the missed messages, in the same place", async () => {
  const { ada, bo, channel, at, ids } = await talk(numbered(20));
  const says = (content: string) => sendToChannel(bo, channel, { topic: "logo", content });
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
  await receives(page, says, "good morning");
});

/** As if the password was changed elsewhere. */
const endSessions = ({ realm, id }: TestUser): Promise<number[]> =>
  revoke(realm.ctx, "end a test's sessions", (tx) => endBrowserSessions(tx, { id, realm_id: realm.id }));

async function withSession() {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const channel = await channelOf([ada], "design");
  await sendToChannel(ada, channel, { topic: "logo", content: "before", readBySender: true });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo` });
  await messages(page).getByText("before").waitFor();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  const logIn = async (given: string): Promise<void> => {
    await dialog.getByLabel("Password", { exact: true }).fill(given);
    await page.keyboard.press("Enter");
  };
  return { ada, channel, page, dialog, logIn };
}

test("W8: ended session: the user logs in over the page, which is unchanged", async () => {
  const { ada, channel, page, dialog, logIn } = await withSession();
  await composer(page).fill("being typed");

  await endSessions(ada);
  // The poll for events, which is always open, detects it.
  await dialog.waitFor();
  await logIn("wrong");
  await dialog.getByRole("alert").waitFor();
  await logIn(password);
  await dialog.waitFor({ state: "detached" });

  expect(await composer(page).inputValue()).toBe("being typed");
  await send(page, "after");
  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["before", "after"]);
  await receives(page, (content) => sendToChannel(ada, channel, { topic: "logo", content }), "heard again");
});

test("W8: a message sent after the session has ended waits for the next one and is sent once", async () => {
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
  await expect.poll(() => page.getByText("Sending…").count()).toBe(0);
  expect(await messages(page).count()).toBe(2);
});

/** The data of this account in the browser. */
const leftOf = (page: Page, { id }: TestUser): Promise<string[]> =>
  page.evaluate(async (userId) => {
    const databases = await indexedDB.databases();
    const names = databases.flatMap(({ name }) => (name === `skein-${userId}` ? [name] : []));
    return [...names, ...Object.keys(localStorage).filter((key) => key.includes(`-${userId}`))];
  }, id);

test("W8: logging in as someone else over the page restarts it; nothing of the first account is sent or left", async () => {
  const { ada, channel, page, dialog, logIn } = await withSession();
  const bo = await withPassword(ada.realm, "bo");
  await page.route("**/json/messages", async (route) => {
    if (route.request().method() === "POST") await endSessions(ada);
    await route.continue();
  });

  await send(page, "by ada alone");
  await dialog.waitFor();
  expect(await leftOf(page, ada)).toEqual([`skein-${ada.id}`]);
  await dialog.getByLabel("E-mail").fill(bo.email);
  await Promise.all([page.waitForEvent("load"), logIn(password)]);

  await page.getByRole("navigation").getByText("bo", { exact: true }).waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(await leftOf(page, ada)).toEqual([]);
  expect(await textsIn(ada, channel.id)).toEqual(["before"]);
});

test("W8: logging out asks about unsent text, erases it, and logs out other tabs", async () => {
  const { ada, page } = await withSession();
  const other = await openTab(page, page.url().replace("logo", "paint"));
  await composer(other).fill("in the other tab");
  await composer(page).fill("being typed");
  await page.getByRole("button", { name: "You", exact: true }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  const question = page.getByRole("dialog", { name: "Sign out?" });

  await Promise.all([
    page.waitForURL("**/login/"),
    other.waitForURL("**/login/"),
    question.getByRole("button", { name: "Sign out" }).click(),
  ]);

  expect(await leftOf(page, ada)).toEqual([]);
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
});

test("W8: with two tabs in one conversation, the last edit wins", async () => {
  const { ada, at } = await talk(["before"]);
  const first = await openClient(ada, { at });
  const second = await openTab(first);
  await composer(first).fill("from the first");
  await expect.poll(() => composer(second).inputValue()).toBe("from the first");

  await composer(second).fill("from the second");
  await expect.poll(() => composer(first).inputValue()).toBe("from the second");
  await goTo(first, "#inbox");
  await goTo(first, at);
  await expect.poll(() => composer(first).inputValue()).toBe("from the second");
  await composer(second).press("Control+Enter");

  await expect.poll(() => composer(first).inputValue()).toBe("");
  await first.reload();
  await messages(first).getByText("from the second").waitFor();
  expect(await composer(first).inputValue()).toBe("");
});

test("W8: two tabs of one browser show the same messages, each with its own text, and one may close", async () => {
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
  await sendToChannel(bo, channel, { topic: "paint", content: "heard" });

  await messages(second).getByText("heard").waitFor();
  await second.goto(first.url());
  await second.reload();
  await expect.poll(() => composer(second).inputValue()).toBe("in the first");
});

test("W8: maintenance: a bar says so without a reload, and a message waits and is sent once when it is over", async () => {
  const server = await startOwnServer();
  const skein = new Commands(server.ctx);
  const { ada, channel, at } = await talk(["before"], await newRealm([server]));
  const page = await openClient(ada, { at });
  await messages(page).getByText("before").waitFor();
  let loads = 0;
  page.on("load", () => loads++);
  const reason = "Read-only until 22:00, while we move 🏠";
  const bar = page.getByRole("main").getByText(reason);

  await skein.json("maintenance", "on", "--message", reason);
  await expect.poll(() => server.ctx.maintenance.message).toBe(reason);
  const [refused] = await Promise.all([page.waitForResponse(/json\/messages$/), send(page, "kept")]);
  expect([refused.status(), await refused.json()]).toMatchObject([503, { code: "READ_ONLY", msg: reason }]);
  const kept = messages(page).filter({ hasText: "kept" });
  await kept.getByText("Sending…").waitFor();
  expect(await textsIn(ada, channel.id)).toEqual(["before"]);
  await bar.waitFor();
  await skein.json("maintenance", "off");

  await bar.waitFor({ state: "detached" });
  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["before", "kept"]);
  await kept.getByText("Sending…").waitFor({ state: "detached" });
  expect(await messages(page).count()).toBe(2);
  expect(loads).toBe(0);
});

/** From now on the server has another client: its page names another script. */
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

const newVersion = (page: Page) => page.getByRole("button", { name: "Reload to update" });

test("W8: new release: a missing chunk says so, and loading the new version keeps place, scroll position and text", async () => {
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

test("W8: a new release loads by itself once the page is idle and nothing is being written", async () => {
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
