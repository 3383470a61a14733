/** Messages in the built client under the page's own policy, with the browser's sanitizer and with ours. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sendToChannel } from "../../server/test/actions.ts";
import { messages, openPrepared, send, useClient } from "./client.ts";
import { talk } from "./topic.ts";

useClient();

/** As in browsers without one. */
const withoutSanitizer = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Reflect.deleteProperty(Element.prototype, "setHTML");
    Reflect.deleteProperty(globalThis, "Sanitizer");
  });

const texts = [
  "**bold** and `code` with a [link](https://example.com/)",
  "> quoted\n\n* one\n* two\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |",
  "```python\nprint(1)\n```\n\n```spoiler Ending\nThe butler\n```\n\n$$x^2$$ :tada: @**ada**",
];

/** HTML the server never sends, but a bug in it could let through. */
const hostile =
  '<p>seen</p><img src="https://elsewhere.example/x.png" onerror="alert(1)"><a href="javascript:alert(1)">link</a><form><input name="remove"></form>' +
  '<p style="position:fixed" id="main" onclick="alert(1)">styled</p><svg onload="alert(1)"></svg><iframe srcdoc="x"></iframe>';

const contentOf = (page: Page): Promise<string[]> =>
  messages(page)
    .locator(".content")
    .evaluateAll((elements) => elements.map((element) => element.innerHTML));

test("messages look the same with our sanitizer, and nothing runs", async () => {
  const { ada, bo, channel, at } = await talk(texts);
  await sendToChannel(bo, channel, { topic: "logo", content: "to be replaced" });
  const replaceLast = (page: Page): Promise<unknown> =>
    page.route("**/json/messages?*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replace('"<p>to be replaced</p>"', JSON.stringify(hostile)),
      });
    });
  const open = async (prepare: (page: Page) => Promise<unknown>): Promise<Page> => {
    const page = await openPrepared(ada, at, async (empty) => {
      await prepare(empty);
      await replaceLast(empty);
    });
    await messages(page).getByText("seen", { exact: true }).waitFor();
    return page;
  };

  const [own, native] = [await open(withoutSanitizer), await open(() => Promise.resolve())];

  const shown = await contentOf(own);
  expect(shown[0]).toContain("<strong>bold</strong>");
  expect(shown[3]?.replace(/<img[^>]*>/, "")).toBe("<p>seen</p><a>link</a><p>styled</p>");
  expect(shown[3]).not.toMatch(/onerror|elsewhere/);
  expect(shown).toEqual(await contentOf(native));
  await send(own, "**sent**");
  await messages(own).locator("strong", { hasText: "sent" }).waitFor();
  await sendToChannel(bo, channel, { topic: "logo", content: "*heard*" });
  await messages(own).locator("em", { hasText: "heard" }).waitFor();
});
