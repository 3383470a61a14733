/** A window of the system's Chromium, and clocks to measure what happens in it. */
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from "playwright-core";
import { findChromium } from "../../server/test/find-chromium.ts";

export type CookieParam = Parameters<BrowserContext["addCookies"]>[0][number];

export interface Window {
  page: Page;
  cdp: CDPSession;
  close: () => Promise<void>;
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    // No requests to other sites: pictures hosted elsewhere fail at once.
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
  });

/** With an empty cache, and signed in if there is a cookie. */
export async function openWindow(browser: Browser, cookie?: CookieParam): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  if (cookie) await context.addCookies([cookie]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.once("pageerror", (error) => process.stderr.write(`${error.stack ?? error.message}\n`));
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, cdp, close: () => context.close() };
}

/** As on an old laptop with a slow connection. */
export async function slowDown({ cdp }: Window): Promise<void> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
}

async function metric({ cdp }: Window, name: string): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  const found = metrics.find((each) => each.name === name);
  if (!found) throw new Error(`the browser does not report its ${name}`);
  return found.value;
}

/** Milliseconds of the main thread's CPU time: other processes do not count. */
export const threadTime = async (window: Window): Promise<number> => (await metric(window, "TaskDuration")) * 1000;

/** Megabytes in use after garbage collection. */
export async function heapSize(window: Window): Promise<number> {
  for (let time = 0; time < 3; time++) await window.cdp.send("HeapProfiler.collectGarbage");
  return (await metric(window, "JSHeapUsedSize")) / 1_000_000;
}

/** Resolves when the second frame from now has been painted. */
export const untilPainted = ({ page }: Window): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resume) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resume)))),
  );

/** Milliseconds of main-thread work for an action, until it is painted; without the cost of measuring. */
export async function workOf(window: Window, act: () => Promise<unknown>): Promise<number> {
  return (await workAround(window, act)) - (await workOfAsking(window));
}

async function workAround(window: Window, act: () => Promise<unknown>): Promise<number> {
  const before = await threadTime(window);
  await act();
  await untilPainted(window);
  return (await threadTime(window)) - before;
}

const askedTimes = 15;
const ofAsking = new WeakMap<Window, number>();

/**
 * The cost of measuring: two idle frames, and the queries before and after. The lowest of several, because the page may still
 * be working on something else.
 */
async function workOfAsking(window: Window): Promise<number> {
  const known = ofAsking.get(window);
  if (known !== undefined) return known;
  const works: number[] = [];
  for (let time = 0; time < askedTimes; time++) works.push(await workAround(window, async () => undefined));
  const work = Math.min(...works);
  ofAsking.set(window, work);
  return work;
}

/** The expected element, optionally with a text. */
export interface Wanted {
  selector: string;
  text?: string;
}

/** Milliseconds from an event that `act` causes to the frame that shows the expected result. */
export async function timeToPaint(
  { page }: Window,
  event: "keydown" | "click",
  wanted: Wanted,
  act: () => Promise<unknown>,
): Promise<number> {
  const watch = await page.evaluateHandle(watchForPaint, { event, ...wanted });
  await act();
  const time = await watch.evaluate(({ painted }) => painted);
  await watch.dispose();
  return time;
}

/** Runs in the page. */
function watchForPaint({ event, selector, text }: Wanted & { event: "keydown" | "click" }): {
  painted: Promise<number>;
} {
  const isThere = (): boolean =>
    text === undefined
      ? document.querySelector(selector) !== null
      : [...document.querySelectorAll(selector)].some((element) => element.textContent?.includes(text));
  const painted = new Promise<number>((resolve, reject) => {
    let begun: number | undefined;
    const look = (): void => {
      if (begun === undefined || !isThere()) {
        requestAnimationFrame(look);
        return;
      }
      const from = begun;
      // The first task after the frame's callbacks runs when the frame has been submitted for painting.
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => {
        resolve(performance.now() - from);
        port2.close(); // referenced until then
      });
      port1.start();
      port2.postMessage(undefined);
    };
    // Of several events, such as those of Control and of the letter, the last counts.
    const note = ({ timeStamp }: Event): void => {
      begun = timeStamp;
    };
    addEventListener(event, note, { capture: true });
    requestAnimationFrame(look);
    setTimeout(() => removeEventListener(event, note, { capture: true }), 5000);
    setTimeout(() => reject(new Error(`half a minute after a ${event} there is no ${selector} ${text ?? ""}`)), 30_000);
  });
  return { painted };
}
