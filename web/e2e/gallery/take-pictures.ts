/** Pictures of the gallery, to be looked at: `node web/e2e/gallery/take-pictures.ts FOLDER [STATE…]`. */
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { serveGallery } from "./serve.ts";
import { states } from "./states.ts";

const [folder = "pictures", ...only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const gallery = await serveGallery();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const width of [1100, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      reducedMotion: "reduce",
    });
    page.on("pageerror", (error) => process.stderr.write(`${error.stack}\n`));
    page.on("console", (line) => line.type() === "error" && process.stderr.write(`${line.text()}\n`));
    for (const [name, { section, prepare }] of Object.entries(states)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(`${gallery.url}?show=${section}`);
      await page.getByRole("heading", { name: "Gallery" }).waitFor();
      await page.waitForLoadState("networkidle");
      const target = await prepare(page);
      const path = `${folder}/${name}-${width}-${scheme}.png`;
      if (target) await target.screenshot({ path });
      else await page.screenshot({ path });
    }
    await page.close();
  }
}
await browser.close();
await gallery.close();
