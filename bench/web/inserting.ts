/** Sanitizes the server's HTML, adapts it to the reader and inserts it; compared with the browser's bare cost. */
import { join } from "node:path";
import { build } from "vite";
import type { insert } from "./content-entry.ts";
import { inRounds, type Figure } from "./figure.ts";
import type { Visitor } from "./start.ts";
import { makeTexts } from "./texts.ts";
import { openWindow } from "./window.ts";

const messages = 120;
const repetitions = 10;

export async function measureInserting({ browser, cookie, site, rounds }: Visitor): Promise<Figure[]> {
  const { page, cdp, close } = await openWindow(browser, cookie);
  // The page's own policy refuses unsanitized HTML.
  await cdp.send("Page.setBypassCSP", { enabled: true });
  await page.goto(site);
  await page.locator("#main h1").waitFor();
  await page.evaluate(await contentCode());
  const htmls = makeTexts(messages).map(({ html }) => html);
  const run = (way: "ours" | "bare"): Promise<number> => page.evaluate(insertAll, { htmls, way, times: repetitions });
  await run("ours");
  const ours = await inRounds(rounds, () => run("ours"));
  const bare = await inRounds(rounds, () => run("bare"));
  await close();
  return [
    { key: "insert", what: "Sanitize and insert 120 messages", unit: "ms", budget: 20, rounds: ours },
    { key: "insert-bare", what: "The same with innerHTML, unsanitized", unit: "ms", rounds: bare },
  ];
}

/** The client's own modules, as a script that sets a global. */
async function contentCode(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, "content-entry.ts"), formats: ["iife"], name: "skeinContent" },
    },
  });
  const [first] = Array.isArray(built) ? built : [built];
  const chunk = first && "output" in first ? first.output[0] : undefined;
  if (chunk?.type !== "chunk") throw new Error("the client's content modules were not built");
  return `${chunk.code}; globalThis.skeinContent = skeinContent;`;
}

declare global {
  var skeinContent: { insert: typeof insert };
}

/** Runs in the page; milliseconds for all of them, the median of several runs. */
function insertAll({ htmls, way, times }: { htmls: string[]; way: "ours" | "bare"; times: number }): number {
  const feed = document.querySelector("#main");
  if (!feed) throw new Error("there is no page");
  const taken = Array.from({ length: times }, () => {
    const begun = performance.now();
    const holder = document.createElement("div");
    feed.append(holder);
    for (const html of htmls) {
      const content = document.createElement("div");
      content.className = "content";
      holder.append(content);
      if (way === "ours") globalThis.skeinContent.insert(html, content);
      else content.innerHTML = html;
    }
    const time = performance.now() - begun;
    holder.remove();
    return time;
  });
  return taken.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}
