/**
 * Compares screens, light and dark, wide and narrow, with the pictures in `pictures`. `UPDATE_PICTURES=1` takes them again;
 * review what changed. With another Chromium than theirs the edges of letters differ, so only the layout is compared, and
 * differences are reported without failing; with other fonts lines break elsewhere, so screens are only opened. Neither is a
 * change of ours.
 */
import { readFile, writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import {
  formats,
  launchCamera,
  measureFonts,
  openWindow,
  schemes,
  takePicture,
  type Visitor,
  type Width,
} from "./pictures-camera.ts";
import { difference, layoutDifference, pixelsOf, readPicture, writePicture } from "./pictures-compare.ts";
import type { Screen } from "./pictures-screens.ts";

const folder = `${import.meta.dirname}/pictures`;
const isUpdate = process.env["UPDATE_PICTURES"] !== undefined;
/** To take only some of them: `PICTURES=inbox,search`. */
const wanted = process.env["PICTURES"]?.split(",");
/** Each screen at one of its widths, in turn: half the time. */
const isShort = process.env["PICTURES_SHORT"] !== undefined;
const widths = Object.keys(formats).map(Number) as Width[]; // the keys are these numbers

/** The fraction of pixels that may differ. */
const tolerance = 0.001;
const layoutTolerance = 0.04;
/** Lets pending rendering finish. */
const patience = 5000;

interface Taken {
  chromium: string;
  fonts: string;
}

interface Album {
  browser: Browser;
  comparison: "pixels" | "layout" | "none";
}

async function openAlbum(): Promise<Album> {
  const browser = await launchCamera();
  const here: Taken = { chromium: browser.version(), fonts: await measureFonts(browser) };
  if (isUpdate && wanted === undefined)
    await writeFile(`${folder}/taken-with.json`, `${JSON.stringify(here, null, 2)}\n`);
  const there = JSON.parse(await readFile(`${folder}/taken-with.json`, "utf8")) as Taken; // written above
  const comparison = there.fonts !== here.fonts ? "none" : there.chromium !== here.chromium ? "layout" : "pixels";
  if (comparison !== "pixels")
    process.stderr.write(
      `The pictures were taken with ${JSON.stringify(there)}, this is ${JSON.stringify(here)}: ` +
        `${comparison === "none" ? "nothing" : "only the layout"} is compared.\n`,
    );
  return { browser, comparison };
}

/** What is wrong with a screen, if anything. */
async function look(
  page: Page,
  comparison: Album["comparison"],
  { name, isInBothSchemes }: Screen,
  width: Width,
): Promise<string[]> {
  const wrong: string[] = [];
  const usual = width === 390 ? "dark" : "light";
  for (const scheme of schemes) {
    if (scheme !== usual && !isInBothSchemes) continue;
    const file = `${folder}/${name}-${width}-${scheme}.png`;
    const problem = isUpdate ? await update(page, scheme, file) : await compare(page, comparison, scheme, file);
    if (problem !== undefined) wrong.push(`${name}-${width}-${scheme}: ${problem}`);
  }
  return wrong;
}

/** Takes the picture once the screen is stable. */
async function update(page: Page, scheme: (typeof schemes)[number], file: string): Promise<undefined> {
  let png = await takePicture(page, scheme);
  for (let isStill = false; !isStill;) {
    await page.waitForTimeout(150);
    const next = await takePicture(page, scheme);
    isStill = next.equals(png);
    png = next;
  }
  const before = await readPicture(file);
  // Unchanged pictures keep the same file.
  if (!before || difference(before, await pixelsOf(png)) > 0) await writePicture(file, png);
}

async function compare(
  page: Page,
  comparison: Album["comparison"],
  scheme: (typeof schemes)[number],
  file: string,
): Promise<string | undefined> {
  if (comparison === "none") return undefined;
  const kept = await readPicture(file);
  if (!kept) return "there is no picture of it";
  const until = performance.now() + patience;
  for (;;) {
    const png = await takePicture(page, scheme);
    const taken = await pixelsOf(png);
    const isLayout = comparison === "layout";
    const part = isLayout ? await layoutDifference(kept, taken) : difference(kept, taken);
    if (part <= (isLayout ? layoutTolerance : tolerance)) return undefined;
    if (performance.now() < until) continue;
    const seen = file.replace(".png", ".seen.png");
    await writeFile(seen, png);
    const problem = `${(100 * part).toFixed(2)} % differ, see ${seen}`;
    if (!isLayout) return problem;
    process.stderr.write(`${file}: ${problem}\n`);
    return undefined;
  }
}

/** Saves the actual picture, to look at. */
const seenFile = (name: string, width: Width, scheme = "light"): string =>
  `${folder}/${name}-${width}-${scheme}.seen.png`;

const isWanted = ({ name }: Screen): boolean => wanted === undefined || wanted.some((part) => name.startsWith(part));

async function show(page: Page, site: string, { at, ready, act }: Screen): Promise<void> {
  if (page.url().startsWith(`${site}/#`)) await page.evaluate((hash) => (location.hash = hash), at);
  else await page.goto(at.startsWith("#") ? `${site}/${at}` : `${site}${at}`);
  await page
    .locator("body")
    .getByText(ready)
    .first()
    .waitFor()
    .catch((error: Error) => {
      throw new Error(`${at} did not show “${ready}”`, { cause: error });
    });
  await act?.(page);
}

/** What is wrong with these screens. Each width has its own windows, at the same time. */
export async function lookAtAll(list: readonly Screen[], visitorOf: (screen: Screen) => Visitor): Promise<string[]> {
  const { browser, comparison } = await openAlbum();
  const wrong: string[] = [];
  await Promise.all(
    widths.map(async (width) => {
      const open = new Map<Visitor, Page>();
      const chosen = list.filter((each, index) => {
        const only = each.width ?? (isShort ? widths[index % widths.length] : undefined);
        return isWanted(each) && (only === undefined || only === width);
      });
      for (const screen of chosen) {
        const visitor = visitorOf(screen);
        const page = (screen.act ? undefined : open.get(visitor)) ?? (await openWindow(browser, width, visitor));
        try {
          await show(page, visitor.site, screen);
          wrong.push(...(await look(page, comparison, screen, width)));
        } catch (error) {
          wrong.push(`${screen.name}-${width}: ${(error as Error).message}`); // Playwright throws nothing else
          await page.screenshot({ path: seenFile(screen.name, width) });
        }
        if (screen.act) await page.context().close();
        else open.set(visitor, page);
      }
      for (const page of open.values()) await page.context().close();
    }),
  );
  await browser.close();
  return wrong;
}
