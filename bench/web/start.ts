/** The first visit: when the shell is painted, when the Inbox is usable, and how many bytes were sent. */
import type { Browser } from "playwright-core";
import { inRounds, type Figure } from "./figure.ts";
import { openWindow, slowDown, type CookieParam, type Window } from "./window.ts";

export interface Visitor {
  browser: Browser;
  cookie: CookieParam;
  site: string;
  rounds: number;
}

interface Visit {
  shell: number;
  usable: number;
  kilobytes: number;
}

export async function measureStart(visitor: Visitor): Promise<Figure[]> {
  const { rounds } = visitor;
  await visit(visitor, "fast"); // the server's first responses are slower than all later ones
  const fast = await inRounds(rounds, () => visit(visitor, "fast"));
  const slow = await inRounds(rounds, () => visit(visitor, "slow"));
  const pick = (visits: Visit[], what: keyof Visit): number[] => visits.map((each) => each[what]);
  return [
    { key: "shell", what: "First paint of the shell", unit: "ms", budget: 300, rounds: pick(fast, "shell") },
    { key: "usable", what: "Inbox usable", unit: "ms", budget: 700, rounds: pick(fast, "usable") },
    {
      key: "shell-slow",
      what: "First paint of the shell, CPU 4 × slower, 1.6 Mbit/s, 150 ms latency",
      unit: "ms",
      budget: 1500,
      rounds: pick(slow, "shell"),
    },
    {
      key: "usable-slow",
      what: "Inbox usable, same conditions",
      unit: "ms",
      budget: 3000,
      rounds: pick(slow, "usable"),
    },
    {
      key: "transferred",
      what: "Bytes of a first visit, without avatars",
      unit: "kB",
      budget: 130,
      rounds: pick(fast, "kilobytes"),
    },
  ];
}

async function visit({ browser, cookie, site }: Visitor, speed: "fast" | "slow"): Promise<Visit> {
  const window = await openWindow(browser, cookie);
  const { page } = window;
  try {
    if (speed === "slow") await slowDown(window);
    const transferred = await countBytes(window);
    await page.addInitScript(watchStart);
    await page.goto(site);
    await page.waitForFunction(() => "skeinStart" in globalThis && globalThis.skeinStart.usable > 0);
    // What the page loads by itself when idle.
    if (speed === "fast") await page.waitForTimeout(1000);
    const { shell, usable } = await page.evaluate(() => globalThis.skeinStart);
    return { shell, usable, kilobytes: transferred() / 1000 };
  } finally {
    await window.close();
  }
}

const pictures = /\/(?:user_avatars|avatar)\//;

/** Bytes on the wire so far, including headers; without pictures, whose number depends on the people on screen. */
async function countBytes({ cdp }: Window): Promise<() => number> {
  let bytes = 0;
  const ignored = new Set<string>();
  await cdp.send("Network.enable");
  cdp.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (pictures.test(request.url)) ignored.add(requestId);
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!ignored.has(requestId)) bytes += encodedDataLength;
  });
  return () => bytes;
}

declare global {
  var skeinStart: { shell: number; usable: number };
}

/** Runs in the page before its own scripts: records the frames in which something first appears. */
function watchStart(): void {
  const noted = { shell: 0, usable: 0 };
  globalThis.skeinStart = noted;
  const noteFrame = (what: keyof typeof noted): void => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      noted[what] ||= performance.now();
      port2.close(); // referenced until then
    });
    port1.start();
    port2.postMessage(undefined);
  };
  const look = (): void => {
    if (noted.shell === 0 && document.querySelector("#app > *")) noteFrame("shell");
    // A heading, and rows with links.
    if (document.querySelector("#main h1") && document.querySelector("#main li a")) noteFrame("usable");
    if (noted.usable === 0) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
