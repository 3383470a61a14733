/** W8. Events arrive through a stream; where that does not work, by long polls; and none is lost or repeated in between. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sendToChannel } from "../../server/test/actions.ts";
import { newRealm } from "../../server/test/realm.ts";
import { startNode } from "../../server/test/nodes.ts";
import { startBalancer } from "./balancer.ts";
import { startBufferingProxy } from "./buffering-proxy.ts";
import { messages, openPrepared, siteOf, useClient } from "./client.ts";
import { talk, type Talk } from "./topic.ts";

useClient();

type Kind = "register" | "stream" | "poll" | "check";

/** The requests about events that the page makes. */
function watch(page: Page): Kind[] {
  const kinds: Kind[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/json/register") kinds.push("register");
    if (pathname === "/json/events/stream") kinds.push("stream");
    if (pathname === "/json/events") kinds.push(searchParams.get("dont_block") === "true" ? "check" : "poll");
  });
  return kinds;
}

/** The ways of waiting for events, without repetitions: presence and the like are events, too. */
function inTurn(kinds: readonly Kind[]): Kind[] {
  const waits = kinds.filter((kind) => kind !== "check");
  return waits.filter((kind, index) => kind !== waits[index - 1]);
}

const textsOn = (page: Page): Promise<string[]> => messages(page).locator("[data-message] p").allInnerTexts();

const says = ({ bo, channel }: Talk, content: string) => sendToChannel(bo, channel, { topic: "logo", content });

async function open(conversation: Talk, { site, hasClock }: { site?: string; hasClock?: boolean } = {}) {
  const { ada, at } = conversation;
  let kinds: Kind[] = [];
  const prepare = async (page: Page): Promise<void> => {
    kinds = watch(page);
    if (hasClock) await page.clock.install();
  };
  const page = await openPrepared(ada, at, prepare, site);
  return { page, kinds };
}

test("W8: an ordinary connection: events arrive through one stream, without polls", async () => {
  const conversation = await talk(["before"]);
  const { page, kinds } = await open(conversation);
  await messages(page).getByText("before").waitFor();

  const sent = Array.from({ length: 8 }, (_, index) => `message ${index}`);
  for (const content of sent) {
    await says(conversation, content);
    await messages(page).getByText(content).waitFor();
  }

  expect(await textsOn(page)).toEqual(["before", ...sent]);
  // The page polls until it has loaded what reads streams.
  expect(kinds.filter((kind) => kind !== "poll")).toEqual(["register", "stream"]);
  expect(kinds.slice(kinds.indexOf("stream"))).toEqual(["stream"]);
});

test("W8: a proxy that buffers: events arrive by polls, and through a stream once it no longer does", async () => {
  const conversation = await talk(["before"]);
  const proxy = await startBufferingProxy(siteOf(conversation.realm));
  const { page, kinds } = await open(conversation, { site: proxy.url, hasClock: true });
  await messages(page).getByText("before").waitFor();
  await expect.poll(() => kinds).toContain("stream");
  const fromStream = kinds.indexOf("stream");

  await page.clock.runFor(5000);
  await expect.poll(() => inTurn(kinds.slice(fromStream))).toEqual(["stream", "poll"]);
  await says(conversation, "polled");
  await messages(page).getByText("polled").waitFor();
  expect(inTurn(kinds.slice(fromStream))).toEqual(["stream", "poll"]);

  proxy.stopBuffering();
  await page.clock.runFor(60_000);
  await says(conversation, "ends the poll");
  await messages(page).getByText("ends the poll").waitFor();
  await expect.poll(() => inTurn(kinds.slice(fromStream))).toEqual(["stream", "poll", "stream"]);
  await says(conversation, "streamed");
  await messages(page).getByText("streamed").waitFor();
  expect(inTurn(kinds.slice(fromStream))).toEqual(["stream", "poll", "stream"]);
  expect(await textsOn(page)).toEqual(["before", "polled", "ends the poll", "streamed"]);
});

test("W8: a connection that is cut again and again: every message arrives once, in order", async () => {
  const node = await startNode();
  const conversation = await talk(["before"], await newRealm([node]));
  const balancer = await startBalancer(node);
  const { page, kinds } = await open(conversation, { site: balancer.url });
  await expect.poll(() => kinds).toContain("stream");

  const sent: string[] = [];
  const say = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each++) {
      const content = `message ${sent.length}.`;
      sent.push(content);
      await says(conversation, content);
    }
  };
  for (let cuts = 0; cuts < 2; cuts++) {
    const streams = kinds.filter((kind) => kind === "stream").length;
    await Promise.all([
      say(6),
      messages(page)
        .getByText(`message ${sent.length + 1}.`)
        .waitFor()
        .then(balancer.cut),
    ]);
    await say(2);
    balancer.forwardTo(node);
    await expect.poll(() => kinds.filter((kind) => kind === "stream").length).toBeGreaterThan(streams);
  }
  await say(1);

  await expect.poll(() => textsOn(page)).toEqual(["before", ...sent]);
  // The queue lived on, so the client was not told everything anew.
  expect(kinds.filter((kind) => kind === "register")).toHaveLength(1);
});
