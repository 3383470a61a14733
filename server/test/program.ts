/** Somebody's program, running beside the servers until the test is over. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

/** The lines it prints; nothing is lost before it is asked for. What it says of errors goes where the test's own does. */
export function runProgram(args: string[], options: { cwd?: string } = {}): AsyncIterable<string> {
  const program = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void program.kill());
  return linesOf(program.stdout);
}

async function* linesOf(output: Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const text of output.setEncoding("utf8")) {
    const lines = (rest + String(text)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
