/** The client in a real browser, on the real server: one window for each person. */
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { endpoints } from "@skein/api/all.ts";
import { launchChromium } from "../../server/test/chromium.ts";
import { holdAgainstReference, newRealm, type TestRealm, type TestUser } from "../../server/test/realm.ts";
import { TestBrowser, withPassword } from "../../server/test/test-browser.ts";
import { buildWhenStale } from "../build.ts";

export { newRealm, withPassword };

let browser: Browser;
const contexts: BrowserContext[] = [];

/** Says that a file's tests use the client. */
export function useClient(): void {
  beforeAll(async () => {
    await buildWhenStale();
    browser = await launchChromium(["--force-prefers-reduced-motion"]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
}

export interface WindowOptions {
  /** What stands behind the #. */
  at?: string;
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  /** The server's address, if another than its first node's. */
  site?: string;
}

export const siteOf = (realm: TestRealm): string => realm.nodes[0]?.url ?? "";

/** A window that has nobody signed in. */
export async function openWindow(realm: TestRealm, options: WindowOptions = {}): Promise<Page> {
  const { width = 1280, height = 800, colorScheme = "light" } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    extraHTTPHeaders: { "x-forwarded-host": realm.host },
  });
  contexts.push(context);
  const page = await context.newPage();
  // Less than a test has, so that what it waited for is named.
  page.setDefaultTimeout(12_000);
  page.on("pageerror", (error) => faults.push(new Error(error.stack ?? error.message)));
  page.on("response", (response) => void judge(response));
  return page;
}

/** A window in which somebody is signed in, once the client shows something. */
export async function openClient(user: TestUser, options: WindowOptions = {}): Promise<Page> {
  const { realm } = user;
  const page = await openWindow(realm, options);
  const site = options.site ?? siteOf(realm);
  const signedIn = new TestBrowser(realm);
  await signedIn.signIn(user);
  await page.context().addCookies([...signedIn.cookies].map(([name, value]) => ({ name, value, url: site })));
  await page.goto(`${site}/${options.at ?? ""}`);
  await page.locator("#main").waitFor();
  return page;
}

/** Errors nobody caught, in any window. */
const faults: Error[] = [];
afterAll(() => {
  if (faults.length > 0) throw new AggregateError(faults, faults.map(({ message }) => message).join("\n"));
});

const paths = endpoints.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^/json${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/** The client asks for nothing that is not in the contract, and gets what the protocol's document says. */
async function judge(response: Response): Promise<void> {
  const url = new URL(response.url());
  if (!url.pathname.startsWith("/json/")) return;
  const method = response.request().method();
  if (!paths.some((known) => known.method === method && known.pattern.test(url.pathname))) {
    faults.push(new Error(`${method} ${url.pathname} is not in the contract`));
    return;
  }
  if (!response.ok()) return;
  const body = await response.body().catch(() => undefined); // the window was closed meanwhile
  if (!body) return;
  const headers = { "content-type": "application/json" };
  await holdAgainstReference(url, method, new globalThis.Response(new Uint8Array(body), { headers })).catch(
    (error: unknown) => faults.push(error as Error), // it throws nothing else
  );
}

/** The field one writes into. */
export const composer = (page: Page) => page.locator("main form textarea");

/** Messages on screen, as text, from top to bottom. */
export const messages = (page: Page) => page.getByRole("feed").getByRole("article");
