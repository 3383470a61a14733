import { chromium, type Browser } from "playwright-core";
import { afterAll } from "vitest";
import { findChromium } from "./find-chromium.ts";

/** The system's browser, ended when the file's tests are over. */
export async function launchChromium(args: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", ...args],
  });
  afterAll(() => browser.close());
  return browser;
}
