/** Every screen in a real browser: nothing that axe objects to, light and dark, wide and narrow. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { channelOf, say, tell } from "../../server/test/talk.ts";
import { messages, newRealm, openClient, useClient, withPassword } from "./client.ts";

useClient();

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Of the whole page, or of a part that came over one already looked at. */
async function complaints(page: Page, part = ":root"): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include(part).withTags(rules).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

test.each([
  ["light", 1440],
  ["dark", 390],
] as const)("%s, %i pixels wide", { timeout: 120_000 }, async (colorScheme, width) => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await withPassword(realm, "bo");
  const channel = await channelOf([ada, bo], "design");
  await say(bo, channel, { topic: "logo", content: "Look: `code`, **bold** and @**ada**" });
  await say(bo, channel, { topic: "logo", content: "> a quote\n\n```python\nprint(1)\n```" });
  await tell(bo, [ada], { content: "Psst" });
  const page = await openClient(ada, { colorScheme, width, height: 844 });
  const found: Record<string, string[]> = {};
  const look = async (name: string, address: string, ready: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator("#main").getByText(ready).first().waitFor();
    found[name] = await complaints(page);
  };

  await look("Inbox", "#inbox", "Psst");
  await look("topics", `#topics/channel/${channel.id}`, "logo");
  await look("feed", `#narrow/channel/${channel.id}`, "a quote");
  await look("conversation", `#narrow/channel/${channel.id}/topic/logo`, "a quote");
  await look("recent", "#recent", "Psst");
  await look("found", "#narrow/search/quote", "1 message");
  await look("not found", "#narrow/search/zebra", "Search all public channels");
  await look("starred", "#narrow/is/starred", "No starred messages");
  await look("drafts", "#drafts", "No drafts");
  await look("channels", "#channels", "design");
  await look("nowhere", "#nonsense", "Nothing here");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  found["palette"] = await complaints(page);
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  found["keys"] = await complaints(page);

  expect(Object.entries(found).filter(([, what]) => what.length > 0)).toEqual([]);
});

test("what opens over a conversation", { timeout: 120_000 }, async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([withPassword(realm, "ada"), withPassword(realm, "bo")]);
  const channel = await channelOf([ada, bo], "design");
  await say(bo, channel, { topic: "logo", content: "Look" });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo`, colorScheme: "dark" });
  const found: Record<string, string[]> = {};
  const open = async (name: string, key: string, ready: Locator): Promise<void> => {
    await messages(page).last().focus();
    await page.keyboard.press(key);
    await ready.waitFor();
    found[name] = await complaints(page, "dialog[open], [popover]:popover-open, aside");
    await page.keyboard.press("Escape");
    await ready.waitFor({ state: "detached" });
  };
  await open("menu of a message", "i", page.getByRole("menuitem", { name: "Move" }));
  await open("moving", "m", page.getByRole("dialog", { name: "Move messages" }).getByText("subscribed"));
  await open("reacting", ":", page.getByRole("combobox", { name: "Search emoji" }));
  await open("people", "w", page.getByRole("complementary").getByText("Wrote here"));
  await open("a profile", "u", page.getByRole("complementary").getByText("Joined"));
  await open("receipts", "Shift+V", page.getByRole("complementary").getByText("Read by"));
  await open("searching", "/", page.getByRole("option", { name: /^sender:/ }));

  expect(Object.entries(found).filter(([, what]) => what.length > 0)).toEqual([]);
});
