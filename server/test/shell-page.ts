/** Runs the commands of a page in one shell, and compares their output with the page. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "../..");

export interface Step {
  commands: string;
  /** The output that the page shows, line by line, with … for any text; undefined if it shows none. */
  shown: string[] | undefined;
  /** The actual output; lines that match the page's are replaced by the page's. */
  printed: string[];
}

/** Runs all commands of a page, by its path in the project or an absolute path. */
export async function runPage(page: string): Promise<Step[]> {
  const steps = stepsOf(await readFile(resolve(root, page), "utf8"));
  const outputs = await run(steps.map(({ commands }) => commands));
  return steps.map(({ commands, shown }, index) => {
    const lines = (outputs[index] ?? "").trimEnd().split("\n");
    const printed = lines.map((line, at) => {
      const expected = shown?.[at];
      return expected !== undefined && isAsShown(line, expected) ? expected : line;
    });
    return { commands, shown, printed };
  });
}

/** The commands of a page, each with the output below it. */
export function stepsOf(page: string): Pick<Step, "commands" | "shown">[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind !== "sh") return [];
    const next = blocks[index + 1];
    return [{ commands: text, shown: next?.kind === "text" ? next.text.trimEnd().split("\n") : undefined }];
  });
}

const endOfStep = "-- end of step --";

/** Shorter than a test's timeout, so that a hanging page fails with its output so far. */
const patienceMilliseconds = 240_000;

/** The file in which a page stores how to reach its server. */
const reached = '"$WALK/dev.json"';

/** Returns the output of each step. Ends all processes that the shell started. */
function run(steps: string[]): Promise<string[]> {
  const end = `trap 'kill $(jobs -p) $(jq .pid ${reached}) 2> /dev/null || true; [ ! -d "\${WALK-}" ] || rm -r "$WALK"' EXIT`;
  // Stop if the server did not start: it has printed why. The last step cleans up.
  const check = `[ ! -d "$WALK" ] || [ -s ${reached} ]`;
  const script = ["set -euo pipefail", end];
  for (const commands of steps) script.push(commands, check, `echo '${endOfStep}'`);
  return new Promise((fulfil, reject) => {
    const options = { cwd: root, timeout: patienceMilliseconds };
    execFile("bash", ["-c", script.join("\n")], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`the page ended early: ${stdout}\n${stderr}`, { cause: error }));
      else fulfil(stdout.split(`${endOfStep}\n`));
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
