import { chromium, type Browser } from "playwright-core";
import { atEndOfFile } from "./end-of-file.ts";
import { findChromium } from "./find-chromium.ts";

/** Starts the system's browser, and closes it after the file's tests. */
export async function launchChromium(args: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", ...args],
  });
  atEndOfFile(() => browser.close());
  return browser;
}
