/** docs/walkthrough.md is run as it stands, in one shell, and what it says one sees is seen. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

interface Step {
  commands: string;
  /** What is printed, line by line, with … for anything; undefined where the page says nothing of it. */
  shown: string[] | undefined;
}

/** The commands of a page, each with what stands right below. */
function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind !== "sh") return [];
    const next = blocks[index + 1];
    return [{ commands: text, shown: next?.kind === "text" ? next.text.trimEnd().split("\n") : undefined }];
  });
}

const endOfStep = "-- end of step --";

/** What each step printed. Whatever the shell started ends with it. */
function run(steps: Step[]): Promise<string[]> {
  const end = `trap 'kill $(jobs -p) $(jq .pid "$WALK/dev.json") 2> /dev/null || true' EXIT`;
  const script = ["set -euo pipefail", end];
  for (const { commands } of steps) script.push(commands, `echo '${endOfStep}'`);
  return new Promise((resolve, reject) => {
    execFile("bash", ["-c", script.join("\n")], { cwd: root }, (error, stdout, stderr) => {
      if (error) reject(new Error(`the walk ended early: ${stdout}\n${stderr}`, { cause: error }));
      else resolve(stdout.split(`${endOfStep}\n`));
    });
  });
}

const isAsShown = (line: string, shown: string): boolean =>
  new RegExp(
    `^${shown
      .split("…")
      .map((part) => RegExp.escape(part))
      .join(".*")}$`,
  ).test(line);

test("the walk-through does what it says", { timeout: 300_000 }, async () => {
  const steps = stepsOf(await readFile(join(root, "docs/walkthrough.md"), "utf8"));

  const printed = await run(steps);

  expect(steps.length).toBeGreaterThan(10);
  for (const [index, { commands, shown }] of steps.entries()) {
    if (!shown) continue;
    const lines = (printed[index] ?? "").trimEnd().split("\n");
    const asShown = lines.map((line, at) => (isAsShown(line, shown[at] ?? "") ? shown[at] : line));
    expect(asShown, commands).toEqual(shown);
  }
});
