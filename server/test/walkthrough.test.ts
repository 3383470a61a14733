/** Runs the tutorials in docs/, whose readers copy the commands. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runPage } from "./shell-page.ts";

test.each([
  ["docs/walkthrough.md", 11],
  ["docs/bot-tutorial.md", 6],
])("%s works as described", { timeout: 300_000 }, async (page, minSteps) => {
  const steps = await runPage(page);

  expect(steps.length).toBeGreaterThanOrEqual(minSteps);
  for (const { commands, shown, printed } of steps) expect(shown ? printed : undefined, commands).toEqual(shown);
});

test.each(["docs/walkthrough.md", "docs/bot-tutorial.md"])(
  "%s ends at once with the reason if the server does not start",
  async (page) => {
    const text = await readFile(join(import.meta.dirname, "../..", page), "utf8");
    const folder = await mkdtemp(join(tmpdir(), "skein-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const failing = join(folder, "page.md");
    await writeFile(failing, text.replace("skein dev --port 0", "skein dev --nodes 0"));

    await expect(runPage(failing)).rejects.toThrow("--nodes must be 1 or more");
  },
);
