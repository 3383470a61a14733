/** W1. Enter shows a message, and nothing loses it: offline, slow, failing and killed servers, reloads and crashes. */
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { startNode, stopNode } from "../../server/test/nodes.ts";
import { newRealm } from "../../server/test/realm.ts";
import { startBalancer } from "./balancer.ts";
import { composer, messages, openClient, openPrepared, openTab, send, useClient } from "./client.ts";
import { talk, textsIn } from "./topic.ts";

useClient();

const question = "What do you think?";

async function ask() {
  const { ada, channel, at } = await talk([question]);
  const page = await openClient(ada, { at });
  await messages(page).getByText(question).waitFor();
  return { ada, page, sent: () => textsIn(ada, channel.id) };
}

/** Intercepts each message that is sent; other requests continue. */
const onSend = (page: Page, act: (route: Route) => Promise<unknown>): Promise<void> =>
  page
    .context()
    .route("**/json/messages", (route) => (route.request().method() === "POST" ? act(route) : route.continue()))
    .then(() => undefined);

/** Everything the page has stored for later. */
const writtenDown = (page: Page): Promise<string> =>
  page.evaluate(`(async () => {
    const found = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise((resolve) => (indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)));
      for (const store of database.objectStoreNames)
        found.push(await new Promise((resolve) => (database.transaction(store).objectStore(store).getAll().onsuccess = (event) => resolve(event.target.result))));
      database.close();
    }
    return JSON.stringify(found);
  })()`);

/** Kills the page's process without notice. */
async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent("crash");
  page.goto("chrome://crash").catch(() => undefined); // nobody is left to respond
  await crashed;
}

test("W1: with a slow server, a message appears in the first frame after the key and keeps its row", async () => {
  const { page, sent } = await ask();
  const held = Promise.withResolvers<void>();
  await onSend(page, (route) => held.promise.then(() => route.continue()));
  await composer(page).fill("**bold** words");

  await page.evaluate(`addEventListener("keydown", ({ key }) => {
    if (key === "Enter") requestAnimationFrame(() => (window.painted = document.querySelector('[role=feed]').innerText));
  }, { capture: true })`);
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => page.evaluate("window.painted")).toContain("**bold** words");
  const row = messages(page).filter({ hasText: "bold" });
  await row.evaluate((element) => element.setAttribute("data-mark", "same"));
  expect(await sent()).toEqual([question]);
  held.resolve();
  await row.locator("strong", { hasText: "bold" }).waitFor();

  expect(await row.getAttribute("data-mark")).toBe("same");
  expect(await messages(page).count()).toBe(2);
});

test("W1: messages sent offline wait, survive a reload, and are sent once and in order", async () => {
  const { page, sent } = await ask();
  await page.context().setOffline(true);
  await send(page, "one");
  await send(page, "two");
  await messages(page).getByText("two").waitFor();
  await expect.poll(() => writtenDown(page)).toContain('"two"');

  await onSend(page, (route) => route.abort("connectionrefused"));
  await page.context().setOffline(false);
  await page.reload();
  await messages(page).getByText("two").waitFor();
  await page.context().unrouteAll();
  await page.reload();

  await expect.poll(sent).toEqual([question, "one", "two"]);
  // The page may still be loading.
  await expect.poll(() => messages(page).count()).toBe(3);
  await expect.poll(() => page.getByText("Sending…").count()).toBe(0);
  expect(await messages(page).count()).toBe(3);
});

test("W1: a message whose response was lost is found, not sent again", async () => {
  const { page, sent } = await ask();
  let posts = 0;
  await onSend(page, async (route) => {
    posts++;
    await route.fetch();
    await route.abort("connectionreset");
  });

  await send(page, "only once");

  await expect.poll(sent).toEqual([question, "only once"]);
  await expect.poll(() => page.getByText("Sending…").count()).toBe(0);
  expect(await messages(page).count()).toBe(2);
  expect(posts).toBe(1);
});

test("W1: a failing server gets the message once it recovers; a refusal gives the text back", async () => {
  const { page, sent } = await ask();
  const answers = [
    { status: 502, body: "Bad gateway" },
    { status: 400, json: { result: "error", msg: "Not today.", code: "BAD_REQUEST" } },
  ];
  await onSend(page, (route) => {
    const answer = answers.shift();
    return answer ? route.fulfill(answer) : route.continue();
  });

  await send(page, "please");
  await page.getByText("Not today.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  expect(await composer(page).inputValue()).toBe("please");
  expect(await messages(page).count()).toBe(1);
  await composer(page).press("Control+Enter");

  await expect.poll(sent).toEqual([question, "please"]);
});

test("W1: a message sent to a killed server is sent once by the next", async () => {
  const [dying, living] = [await startNode({ environment: { SKEIN_ROLES: "api" } }), await startNode()];
  const realm = await newRealm([living]);
  const { ada, channel, at } = await talk([question], realm);
  const balancer = await startBalancer(dying);
  const page = await openClient(ada, { at, site: balancer.url });
  await messages(page).getByText(question).waitFor();

  balancer.cut();
  await stopNode(dying);
  await send(page, "still there?");
  await messages(page).getByText("still there?").waitFor();
  await composer(page).fill("half a thought");
  balancer.forwardTo(living);

  await expect.poll(() => textsIn(ada, channel.id)).toEqual([question, "still there?"]);
  await expect.poll(() => page.getByText("Sending…").count()).toBe(0);
  expect(await messages(page).count()).toBe(2);
  expect(await composer(page).inputValue()).toBe("half a thought");
});

test("W1: text being written and messages in flight survive a crash of the page", async () => {
  const { page, sent } = await ask();
  const address = page.url();
  let isReachable = false;
  await onSend(page, (route) => (isReachable ? route.continue() : route.abort("connectionrefused")));
  await send(page, "on its way");
  await messages(page).getByText("on its way").waitFor();
  await composer(page).pressSequentially("half a thought");
  await expect.poll(() => writtenDown(page)).toContain("half a thought");

  await crash(page);
  isReachable = true;
  const next = await openTab(page, address);

  await expect.poll(() => composer(next).inputValue()).toBe("half a thought");
  await expect.poll(sent).toEqual([question, "on its way"]);
  await messages(next).getByText("on its way").waitFor();
});

test("W1: text typed just before leaving the page is there on return", async () => {
  const { page } = await ask();

  await composer(page).pressSequentially("half a");
  await page.reload();

  await expect.poll(() => composer(page).inputValue()).toBe("half a");
});

test("W1: a second tab does not send what the first is sending, and takes over when that one is gone", async () => {
  const { page, sent } = await ask();
  const posts: string[] = [];
  const held = Promise.withResolvers<void>();
  await onSend(page, async (route) => {
    posts.push(new URLSearchParams(route.request().postData() ?? "").get("content") ?? "");
    if (posts.length > 1) return route.continue();
    await held.promise;
    return route.abort("connectionreset").catch(() => undefined); // its page is gone
  });
  await send(page, "by whom?");
  await messages(page).getByText("by whom?").waitFor();
  await expect.poll(() => posts).toEqual(["by whom?"]);

  const second = await openTab(page);
  await messages(second).getByText(question).waitFor();
  await send(second, "from the second");
  await expect.poll(sent).toEqual([question, "from the second"]);
  expect(posts).toEqual(["by whom?", "from the second"]);
  await page.close();
  held.resolve();

  await expect.poll(sent).toEqual([question, "from the second", "by whom?"]);
  await expect.poll(() => messages(second).getByText("by whom?").count()).toBe(1);
});

test("W1: a message being edited is still being edited after a reload", async () => {
  const { page, sent } = await ask();
  await send(page, "teh **end**");
  await messages(page).locator("strong", { hasText: "end" }).waitFor();
  const field = page.getByRole("textbox", { name: "Edit message" });
  await composer(page).press("ArrowUp");
  await field.fill("the end, nearly");

  await page.reload();
  await field.waitFor();
  expect(await field.inputValue()).toBe("the end, nearly");
  await field.fill("the end");
  await field.press("Control+Enter");
  await expect.poll(sent).toEqual([question, "the end"]);
  await messages(page).getByText("(edited)").waitFor();
  await page.reload();

  await messages(page).getByText("the end").waitFor();
  expect(await field.count()).toBe(0);
});

/** Browsers that cannot store anything, each in its own way; none of them fails before something is written. */
const brokenStores: Record<string, () => void> = {
  "is full": () => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  },
  "never opens": () => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
  },
  "is closed again and again": () => {
    type Begin = (...given: unknown[]) => IDBTransaction;
    const begin = Reflect.get(IDBDatabase.prototype, "transaction") as Begin; // with any arguments
    Reflect.set(IDBDatabase.prototype, "transaction", function (this: IDBDatabase, ...given: unknown[]) {
      const transaction = begin.apply(this, given);
      this.close();
      return transaction;
    });
  },
};

test.each(Object.entries(brokenStores))("W1: a message goes out though the browser's store %s", async (_how, spoil) => {
  const { ada, channel, at } = await talk(["before"]);
  const page = await openPrepared(ada, at, (empty) => empty.addInitScript(spoil));
  await messages(page).getByText("before").waitFor();

  await send(page, "one");
  await send(page, "two");

  await expect.poll(() => textsIn(ada, channel.id)).toEqual(["before", "one", "two"]);
  await expect.poll(() => page.getByText("Sending…").count()).toBe(0);
});
