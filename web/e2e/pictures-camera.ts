/**
 * A browser with reproducible screenshots: the clock is stopped; time zone, language and fonts are fixed; nothing moves
 * and no caret blinks.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../../server/test/chromium.ts";

/** A Monday morning. */
export const now = new Date("2026-11-16T09:00:00Z");

export const schemes = ["light", "dark"] as const;
export const formats = {
  1440: { viewport: { width: 1440, height: 810 } },
  390: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const;
export type Width = keyof typeof formats;

export function launchCamera(): Promise<Browser> {
  process.env["FONTCONFIG_FILE"] = `${import.meta.dirname}/pictures-fonts.conf`;
  return launchChromium([
    "--force-prefers-reduced-motion",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--hide-scrollbars",
  ]);
}

export interface Visitor {
  site: string;
  host: string;
  cookies: ReadonlyMap<string, string>;
}

/** A fresh window: nothing typed before is in it. */
export async function openWindow(browser: Browser, width: Width, visitor: Visitor): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    ...formats[width],
    locale: "en-GB",
    timezoneId: "Europe/Rome",
    extraHTTPHeaders: { "x-forwarded-host": visitor.host },
  });
  await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: visitor.site })));
  await context.clock.setFixedTime(now);
  await context.route(/^https:/, (route) => route.abort());
  // A message on screen is marked as read after a while; whether that happens before or after a picture depends on the
  // machine, and it changes the unread counts of every window. In a hidden window nothing is marked.
  await context.addInitScript(() =>
    Object.defineProperty(Document.prototype, "visibilityState", { get: () => "hidden" }),
  );
  // The server records presence by the real time. Whether that is before or after the time in the pictures would show.
  await context.route(/\/json\/users\/me\/presence/, () => undefined);
  // What one window writes would be seen in the next. Not a route: those end before a window that closes has said all.
  await context.addInitScript(() => {
    const send = globalThis.fetch;
    globalThis.fetch = (resource, options) =>
      typeof resource === "string" && resource.startsWith("/json/drafts") && (options?.method ?? "GET") !== "GET"
        ? new Promise(() => undefined)
        : send(resource, options);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

/** Resolves once all images and fonts on screen have loaded. */
export async function takePicture(page: Page, colorScheme: (typeof schemes)[number]): Promise<Buffer> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(() => {
    const isOnScreen = (image: HTMLImageElement): boolean => {
      const { top, bottom, left, right } = image.getBoundingClientRect();
      return image.checkVisibility() && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    };
    return document.fonts.status === "loaded" && [...document.images].every((one) => one.complete || !isOnScreen(one));
  });
  return page.screenshot({ caret: "hide", animations: "disabled" });
}

/** The width of some words, to detect other fonts. */
export async function measureFonts(browser: Browser): Promise<string> {
  const page = await browser.newPage();
  const widths = await page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    return ["system-ui", "DejaVu Sans Mono", "Noto Color Emoji"].map((family) => {
      if (context) context.font = `16px "${family}"`.replace('"system-ui"', "system-ui");
      return context?.measureText("Quiet, dense, text first 🍅🪴").width.toFixed(2) ?? "";
    });
  });
  await page.close();
  return widths.join(" ");
}
