/** The client in a real browser, on the real server: one window per person. */
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeAll } from "vitest";
import { launchChromium } from "../../server/test/chromium.ts";
import { newRealm, type TestRealm, type TestUser } from "../../server/test/realm.ts";
import { withPassword } from "../../server/test/test-browser.ts";
import { startBrowserSession } from "../../server/src/domain/people/auth/browser-sessions.ts";
import { transaction } from "../../server/src/platform/db/transaction.ts";
import { holdToContract, takeComplaints } from "./contract.ts";

export { newRealm, withPassword };

let browser: Browser;
/** Windows of the running test. */
const open: Page[] = [];
/** Windows of earlier tests: reusing one costs a third of creating one. */
const idle: Page[] = [];
/** Windows with a change that cannot be undone. */
const spoilt = new WeakSet<Page>();
/** Uncaught errors, in any window. */
const faults: Error[] = [];

/** Declares that a file's tests use the client. Windows are closed after the test that opened them. */
export function useClient(): void {
  beforeAll(async () => {
    browser = await launchChromium(["--force-prefers-reduced-motion"]);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") for (const page of open) console.error(await describe(page));
    await Promise.all(open.splice(0).map(leave));
    const found = [...faults.splice(0), ...takeComplaints()];
    if (found.length > 0) throw new AggregateError(found, found.map(({ message }) => message).join("\n"));
  });
}

/** For a test that causes errors; in all others an error fails the test. */
export const takeFaults = (): Error[] => faults.splice(0);

/** The focus and text of a page, for the report of a failed test. */
async function describe(page: Page): Promise<string> {
  const seen = page.evaluate(() => {
    const focused = document.activeElement?.outerHTML.slice(0, 300);
    return `focus: ${focused}\n${document.body.innerText.replaceAll(/\s*\n\s*/g, " | ").slice(-3000)}`;
  });
  return `${page.url()}\n${await seen.catch((error: Error) => error.message)}`;
}

async function leave(page: Page): Promise<void> {
  const context = page.context();
  if (spoilt.has(page) || page.isClosed()) {
    await context.close();
    return;
  }
  try {
    const tabs = context.pages().filter((other) => other !== page);
    await Promise.all(tabs.map((tab) => tab.close()));
    await Promise.all([page, context].map((each) => each.unrouteAll({ behavior: "ignoreErrors" })));
    await context.setOffline(false);
    await page.goto("about:blank");
    await context.clearCookies();
    idle.push(page);
  } catch {
    // It has crashed.
    await context.close();
  }
}

export interface WindowOptions {
  /** The address, without the #. */
  at?: string;
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  /** The server's URL, if not its first node's. */
  site?: string;
}

export const siteOf = (realm: TestRealm): string => realm.nodes[0]?.url ?? "";

/** A window with nobody signed in: the one prepared for it, or any. */
export async function openWindow(
  realm: Pick<TestRealm, "host">,
  { width = 1280, height = 800, colorScheme = "light" }: WindowOptions = {},
  made?: Page,
): Promise<Page> {
  const page = made ?? idle.pop() ?? (await makeWindow());
  open.push(page);
  await page.context().setExtraHTTPHeaders({ "x-forwarded-host": realm.host });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  return page;
}

async function makeWindow(): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  // Shorter than a test's timeout, so that the error names what was awaited.
  context.setDefaultTimeout(25_000);
  context.on("weberror", (event) => faults.push(new Error(event.error().stack ?? event.error().message)));
  holdToContract(context);
  return context.newPage();
}

async function signIn(page: Page, { id, realm }: TestUser, site: string): Promise<void> {
  const { db, config } = realm.ctx;
  const { token } = await transaction(db, "sign a test user in", (tx) =>
    startBrowserSession(tx, config, { id, realm_id: realm.id }, { ip: "127.0.0.1", userAgent: "test" }),
  );
  await page.context().addCookies([{ name: "sessionid", value: token, url: site }]);
}

/** A window with someone signed in, once the client shows something. */
export async function openClient(user: TestUser, options: WindowOptions = {}): Promise<Page> {
  const page = await openWindow(user.realm, options);
  const site = options.site ?? siteOf(user.realm);
  await signIn(page, user, site);
  await page.goto(`${site}/${options.at ?? ""}`);
  await page.locator("#main").waitFor();
  return page;
}

/** As above, in a window that is prepared before its pages load. */
export async function openPrepared(
  user: TestUser,
  at: string,
  prepare: (page: Page) => Promise<unknown>,
  site = siteOf(user.realm),
): Promise<Page> {
  const page = await openWindow(user.realm, {}, await makeWindow());
  spoilt.add(page);
  await prepare(page);
  await signIn(page, user, site);
  await page.goto(`${site}/${at}`);
  await page.locator("#main").waitFor();
  return page;
}

/** Makes the client poll for events, so that a test can hold back or change what arrives. */
export async function withoutStreams(page: Page): Promise<void> {
  await page.route(/json\/events\/stream/, (route) => route.fulfill({ status: 404, body: "" }));
}

/** Another tab of the same browser. */
export async function openTab(page: Page, address = page.url()): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(address);
  await tab.locator("#main").waitFor();
  return tab;
}

/** The composer's field. */
export const composer = (page: Page) => page.locator("main form textarea");

/** Messages on screen, from top to bottom. */
export const messages = (page: Page) => page.getByRole("feed").getByRole("article");

/** Goes to an address without reloading the page. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** Writes a message and sends it, by keyboard. */
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Control+Enter");
}
