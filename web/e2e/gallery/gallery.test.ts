// @vitest-environment node
/** The widgets in a real browser: accessible in every state, and what only a browser can do. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { vectors } from "../../../server/test/markdown-attacks.ts";
import { complaintsAbout } from "../axe.ts";
import { type Gallery, serveGallery } from "./serve.ts";
import { states } from "./states.ts";

let gallery: Gallery;
let browser: Browser;

beforeAll(async () => {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
    existsSync(path),
  );
  if (executablePath === undefined) throw new Error("Chromium is needed; scripts/install-browser installs it");
  [gallery, browser] = await Promise.all([
    serveGallery(),
    chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await gallery?.close();
});

async function show(page: Page, section: string): Promise<void> {
  await page.goto(`${gallery.url}?show=${section}`);
  await page.getByRole("heading", { name: "Gallery" }).waitFor();
}

async function open(section: string): Promise<{ page: Page; errors: string[] }> {
  const viewport = { width: 1100, height: 900 };
  const context = await browser.newContext({ reducedMotion: "reduce", viewport });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await show(page, section);
  return { page, errors };
}

const looked = [
  "buttons",
  "fields",
  "content",
  "composer",
  "dialog",
  "menu",
  "mention",
  "emoji",
  "files",
  "toast",
  "lightbox",
];

test("every widget is accessible, light and dark, open ones too", { timeout: 120_000 }, async () => {
  const { page, errors } = await open("buttons");
  for (const name of looked) {
    const state = states[name];
    await page.emulateMedia({ colorScheme: "light" });
    await show(page, state?.section ?? "");
    await state?.prepare(page);
    expect(await complaintsAbout(page), name).toEqual([]);
    // What is not colour is the same in both.
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await complaintsAbout(page, { isOfColours: true }), `${name}, dark`).toEqual([]);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

test("formatting can be undone by the browser's own undo, pasted rich text in two steps", async () => {
  const { page } = await open("composer");
  const field = page.getByRole("textbox", { name: "Message #design › logo colours" });
  await field.click();
  await page.keyboard.type("word");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+b");
  expect(await field.inputValue()).toBe("**word**");
  await page.keyboard.press("Control+z");
  expect(await field.inputValue()).toBe("word");

  await page.keyboard.press("End");
  await field.evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", " bold words");
    clipboardData.setData("text/html", " <p><b>bold</b> words</p>");
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect.poll(() => field.inputValue()).toBe("word**bold** words");
  await page.keyboard.press("Control+z");
  expect(await field.inputValue()).toBe("word bold words");
  await page.keyboard.press("Control+z");
  expect(await field.inputValue()).toBe("word");
  await page.context().close();
}, 60_000);

test("a message shows names of today, the reader's zone, folded spoilers and copyable code", async () => {
  const { page } = await open("content");
  const content = page.locator("#content");

  expect(await content.getByRole("button", { name: "@Bo Larsen-Smith" }).count()).toBe(1);
  expect(await content.locator(".mine").allTextContents()).toEqual(["@Ada Lovelace", "@all"]);
  expect(await content.locator("time").textContent()).toMatch(/2026/);
  expect(await content.getByText("The butler did it").isVisible()).toBe(false);
  await content.getByRole("button", { name: "Show spoiler" }).click();
  expect(await content.getByText("The butler did it").isVisible()).toBe(true);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await content.locator(".codehilite").nth(1).hover();
  await content.getByRole("button", { name: "Copy code" }).nth(1).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("no language at all");
  await page.context().close();
}, 60_000);

test("pictures keep their room before they arrive", async () => {
  const { page } = await open("content");
  const sizes = await page.locator("#content .sized").evaluateAll((elements) =>
    elements.map((element) => {
      const { width, height } = element.getBoundingClientRect();
      return [Math.round(width), Math.round(height)];
    }),
  );
  expect(sizes).toEqual([
    [320, 240],
    [400, 100],
    [384, 240],
  ]);
  await page.context().close();
}, 60_000);

test("nothing that anybody can put into HTML runs, loads from elsewhere or leads to a script", async () => {
  const { page, errors } = await open("buttons");
  const outside: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(gallery.url).origin) outside.push(request.url());
  });
  page.on("dialog", (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const attacks = [
    ...vectors,
    '<img src=x onerror=alert(1)><svg onload=alert(1)><a href="javascript:alert(1)">x</a>',
    '<a href=" java\nscript:alert(1)">x</a><a href="data:text/html,<script>alert(1)</script>">y</a>',
    '<img src="https://elsewhere.example/x.png"><video src="//elsewhere.example/v"></video>',
    '<td style="position:fixed;inset:0">x</td><a style="background-image: url(https://elsewhere.example)">x</a>',
    "<math><mi><table><style><img src=x onerror=alert(1)></style></table></mi></math>",
    "<form action=https://elsewhere.example><button>x</button></form><iframe srcdoc='<script>alert(1)</script>'></iframe>",
  ];
  const left = await page.evaluate((list) => {
    const { toFragment } = globalThis as unknown as { toFragment: (html: string) => DocumentFragment }; // by main.tsx
    const holder = document.createElement("div");
    document.body.append(holder);
    const found: string[] = [];
    for (const html of list) {
      holder.replaceChildren(toFragment(html));
      for (const element of holder.querySelectorAll("*")) {
        if (/^(?:script|style|iframe|form|button|input|svg|object|embed|link|meta|base)$/.test(element.localName))
          found.push(element.outerHTML);
        for (const { name, value } of element.attributes) {
          if (name.startsWith("on") || /^\s*(?:javascript|data):/i.test(value)) found.push(`${name}=${value}`);
          if (name === "style" && !value.startsWith("text-align")) found.push(`${name}=${value}`);
        }
      }
    }
    return found;
  }, attacks);
  // What would load or run does so before this answers.
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(left).toEqual([]);
  expect(outside).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
}, 60_000);
