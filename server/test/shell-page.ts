/** A page whose commands are run as they stand, in one shell, and whose outputs are what one sees. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "../..");

export interface Step {
  commands: string;
  /** What the page says is printed, line by line, with … for anything; undefined where it says nothing of it. */
  shown: string[] | undefined;
  /** What was printed; a line that fits what is shown, as it is shown. */
  printed: string[];
}

/** Runs all commands of a page of the project, or of one elsewhere. */
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

/** The commands of a page, each with what stands right below. */
function stepsOf(page: string): Pick<Step, "commands" | "shown">[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind !== "sh") return [];
    const next = blocks[index + 1];
    return [{ commands: text, shown: next?.kind === "text" ? next.text.trimEnd().split("\n") : undefined }];
  });
}

const endOfStep = "-- end of step --";

/** Less than a test has: whoever waits for something that does not come is told what was said until then. */
const patienceMilliseconds = 240_000;

/** Where a page starts a server, it leaves here how to reach it. */
const reached = '"$WALK/dev.json"';

/** What each step printed. Whatever the shell started ends with it. */
function run(steps: string[]): Promise<string[]> {
  const end = `trap 'kill $(jobs -p) $(jq .pid ${reached}) 2> /dev/null || true; [ ! -d "\${WALK-}" ] || rm -r "$WALK"' EXIT`;
  // A server that could not be started has said why, and nothing after it can work. The last step clears up.
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
