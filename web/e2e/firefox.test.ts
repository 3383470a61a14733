/** The client in Firefox: signing in, messages with markup, sending, an event. */
import { expect, test } from "vitest";
import { newRealm } from "../../server/test/realm.ts";
import { password, withPassword } from "../../server/test/test-browser.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { siteOf } from "./client.ts";
import { FirefoxPage, keyNames } from "./firefox.ts";
import { textsIn } from "./topic.ts";

test("in Firefox a user signs in, reads messages with markup, sends one, and receives others'", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await realm.user("bo");
  const channel = await channelOf([ada, bo], "design");
  const says = (content: string) => sendToChannel(bo, channel, { topic: "logo", content });
  await says("**bold** `code` $$x^2$$\n\n```python\nprint(1)\n```");
  const page = await FirefoxPage.open();
  await page.setHeaders({ "x-forwarded-host": realm.host });

  await page.goTo(`${siteOf(realm)}/login/`);
  await page.focus("#username");
  await page.press(ada.email);
  await page.focus("#password");
  await page.press(password + keyNames.enter);
  await page.until("document.querySelector('#main') !== null");
  await page.evaluate(`location.hash = "#narrow/channel/${channel.id}/topic/logo"`);
  await page.until("document.querySelector('[role=feed] article strong')?.textContent", "bold");
  expect(await page.evaluate("document.querySelector('[role=feed] math msup') !== null")).toBe(true);
  expect(await page.evaluate("document.querySelector('[role=feed] .codehilite pre')?.innerText.trim()")).toBe(
    "print(1)",
  );

  await page.focus("main form textarea");
  await page.press("*sent*");
  await page.pressWithControl(keyNames.enter);
  await page.until("[...document.querySelectorAll('[role=feed] em')].some((em) => em.textContent === 'sent')");
  await expect.poll(async () => (await textsIn(ada, channel.id)).at(-1)).toBe("*sent*");
  await says("~~heard~~");
  await page.until("document.querySelector('[role=feed] del')?.textContent", "heard");

  expect(page.faults).toEqual([]);
});
