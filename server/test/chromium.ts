import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { afterAll } from "vitest";

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The system's browser, ended when the file's tests are over. */
export async function launchChromium(args: string[] = []): Promise<Browser> {
  const executablePath = programs.find((program) => existsSync(program));
  if (executablePath === undefined) throw new Error("Chromium is needed; scripts/install-browser installs it");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", ...args] });
  afterAll(() => browser.close());
  return browser;
}
