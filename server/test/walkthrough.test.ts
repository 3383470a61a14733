/** Pages of docs/ that one follows by copying commands do what they say. */
import { expect, test } from "vitest";
import { runPage } from "./shell-page.ts";

test.each([
  ["docs/walkthrough.md", 11],
  ["docs/bot-tutorial.md", 5],
])("%s does what it says", { timeout: 300_000 }, async (page, leastSteps) => {
  const steps = await runPage(page);

  expect(steps.length).toBeGreaterThanOrEqual(leastSteps);
  for (const { commands, shown, printed } of steps) expect(shown ? printed : undefined, commands).toEqual(shown);
});
