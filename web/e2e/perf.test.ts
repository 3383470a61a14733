/**
 * W5: the budgets that can be checked on any machine: what is painted, and its CPU time relative to that of a bare list in
 * the same browser. `npm run bench:web` measures absolute times.
 */
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { bareWork, scrollUp } from "../../bench/web/scrolling.ts";
import { threadTime, type Window } from "../../bench/web/window.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { messages, newRealm, openClient, useClient } from "./client.ts";

useClient();

const count = 600;

/** A topic with a long history, inserted directly; all of it is in memory. */
async function longTopic(): Promise<Page> {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  const channel = await channelOf([ada, bo], "design");
  const first = await sendToChannel(bo, channel, { topic: "logo", content: "the first" });
  await sql`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select realm_id, conversation_id, topic_id, sender_id, client_id, 'said',
      '<p>Message ' || n || '</p>' || repeat('<p>and <strong>more</strong> to say</p>', n % 4)
    from messages cross join generate_series(1, ${count}) n where id = ${first}`.execute(realm.ctx.db);
  await sql`update subscriptions set read = '{[1,)}' where user_id = ${ada.id}`.execute(realm.ctx.db);
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo` });
  await messages(page).getByText(`Message ${count}`, { exact: true }).waitFor();
  await expect
    .poll(async () => {
      await page.evaluate(scrollUp, { step: 5000, frames: 30, end: 0, patience: 2 });
      return messages(page).getByText("the first", { exact: true }).count();
    })
    .toBe(1);
  return page;
}

const scroll = (page: Page, step: number) => page.evaluate(scrollUp, { step, frames: 5000, end: 0, patience: 2 });

test("W5: scrolling leaves no frame blank, moves nothing by more than a pixel, and keeps the DOM small", async () => {
  const page = await longTopic();

  const down = await scroll(page, -500);
  const up = await scroll(page, 500);

  expect([down.blank, up.blank]).toEqual([0, 0]);
  expect(Math.max(down.shift, up.shift)).toBeLessThanOrEqual(1);
  expect(up.at).toBeLessThan(down.at);
  expect(await messages(page).count()).toBeLessThanOrEqual(145);
});

/** About five times a bare list; a busy machine shows up to twice that. */
const maxTimesBare = 20;

test("W5: scrolling costs little more than a bare list", async () => {
  const page = await longTopic();
  const browser = page.context().browser();
  if (!browser) throw new Error("a page has a browser");
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const window: Window = { page, cdp, close: () => page.close() };
  await scroll(page, -2000);

  const before = await threadTime(window);
  const { frames } = await page.evaluate(scrollUp, { step: 120, frames: 100, end: 0 });
  const ours = ((await threadTime(window)) - before) / frames;
  const bare = Math.max(...(await bareWork(browser, 1)));

  expect(ours / bare).toBeLessThan(maxTimesBare);
});
