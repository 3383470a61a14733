// @vitest-environment node
/** The widgets in a real browser: accessible in every state, and behavior that needs a browser. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { vectors } from "../../../server/test/markdown-attacks.ts";
import { complaintsAbout } from "../axe.ts";
import { type Gallery, serveGallery } from "./serve.ts";
import { samples } from "./samples.ts";
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

/** Browsers sanitize messages themselves, or leave it to us. */
const sanitizers = ["the browser's sanitizer", "our own sanitizer"] as const;
type SanitizerName = (typeof sanitizers)[number];

/** Removes the browser's own sanitizer. */
function removeSanitizer(): void {
  Reflect.deleteProperty(Element.prototype, "setHTML");
  Reflect.deleteProperty(globalThis, "Sanitizer");
}

async function open(section: string, sanitizer?: SanitizerName): Promise<{ page: Page; errors: string[] }> {
  const viewport = { width: 1100, height: 900 };
  const context = await browser.newContext({ reducedMotion: "reduce", viewport });
  const page = await context.newPage();
  if (sanitizer === "our own sanitizer") await page.addInitScript(removeSanitizer);
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

test("every widget is accessible, light and dark, open ones too", async () => {
  const { page, errors } = await open("buttons");
  for (const name of looked) {
    const state = states[name];
    await page.emulateMedia({ colorScheme: "light" });
    await show(page, state?.section ?? "");
    await state?.prepare(page);
    expect(await complaintsAbout(page), name).toEqual([]);
    // Everything but color is the same in both.
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await complaintsAbout(page, { isOfColours: true }), `${name}, dark`).toEqual([]);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the browser's undo covers formatting, and pasted rich text in two steps", async () => {
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

test.each(sanitizers)(
  "a message shows names, times, spoilers and code with %s",
  async (sanitizer) => {
    const { page } = await open("content", sanitizer);
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
  },
  60_000,
);

test("images keep their space before they load", async () => {
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

const attacks = [
  ...vectors,
  '<img src=x onerror=alert(1)><svg onload=alert(1)><a href="javascript:alert(1)">x</a>',
  '<a href=" java\nscript:alert(1)">x</a><a href="data:text/html,<script>alert(1)</script>">y</a>',
  '<img src="https://elsewhere.example/x.png"><video src="//elsewhere.example/v"></video>',
  '<td style="position:fixed;inset:0">x</td><a style="background-image: url(https://elsewhere.example)">x</a>',
  "<math><mi><table><style><img src=x onerror=alert(1)></style></table></mi></math>",
  '<img src="/accounts/login/x.png"><video src="/static/../login/x.mp4"></video><img src="/user_uploads/..%2flogin">',
  "<form action=https://elsewhere.example><button>x</button></form><iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<form><input name=remove><input name=attributes><input name=localName><input name=namespaceURI></form><p>after</p>",
  "<template><img src=x onerror=alert(1)></template><p><!-- a comment -->text</p><noscript><b>x</b></noscript>",
  '<p style="color:red" id="main" class="x" start="3" href="/">p</p><ol start="3" class="x"><li value="4">li</li></ol>',
  '<math href="javascript:alert(1)"><mi xlink:href="javascript:alert(1)" mathvariant="bold">x</mi><a>y</a><mglyph/></math>',
  '<mi mathvariant="bold">not math</mi><constructor>x</constructor><div><x-y>own</x-y></div><desc class="d">z</desc>',
];

/** The sanitized HTML of each text, as the page would show it. */
const shownIn = (page: Page, texts: readonly string[]): Promise<string[]> =>
  page.evaluate((list) => {
    const { toFragment } = globalThis as unknown as { toFragment: (html: string) => DocumentFragment }; // set by main.tsx
    return list.map((html) => {
      const holder = document.createElement("div");
      holder.append(toFragment(html));
      return holder.innerHTML;
    });
  }, texts);

test("our sanitizer gives exactly the same result as the browser's", async () => {
  const [native, own] = await Promise.all(sanitizers.map((sanitizer) => open("content", sanitizer)));
  if (!native || !own) throw new Error("there are two sanitizers");

  const expected = await shownIn(native.page, [...attacks, ...Object.values(samples())]);
  const left = await shownIn(own.page, [...attacks, ...Object.values(samples())]);

  expect(await own.page.evaluate("'setHTML' in document.body")).toBe(false);
  expect(left).toEqual(expected);
  expect(left.join("")).toContain("<math");
  await Promise.all([native, own].map(({ page }) => page.context().close()));
}, 60_000);

test.each(sanitizers)(
  "nothing runs, loads from elsewhere or leads to a script with %s",
  async (sanitizer) => {
    const { page, errors } = await open("buttons", sanitizer);
    const outside: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(gallery.url).origin) outside.push(request.url());
    });
    page.on("dialog", (dialog) => {
      errors.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const left = await page.evaluate((list) => {
      const { toFragment } = globalThis as unknown as { toFragment: (html: string) => DocumentFragment }; // set by main.tsx
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
            if (name === "src" && !value.startsWith("/external_content/")) found.push(`${name}=${value}`);
            if (name === "style" && !value.startsWith("text-align")) found.push(`${name}=${value}`);
          }
        }
      }
      return found;
    }, attacks);
    // Anything that would load or run has done so when this returns.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(left).toEqual([]);
    expect(outside).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  },
  60_000,
);
