import { existsSync } from "node:fs";

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The system's browser. */
export function findChromium(): string {
  const program = programs.find((path) => existsSync(path));
  if (program === undefined) throw new Error("Chromium is needed; scripts/install-browser installs it");
  return program;
}
