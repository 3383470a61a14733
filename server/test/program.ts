/** Runs a program beside the servers until the end of the test. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

/** The lines of its standard output, buffered until they are read. Its standard error goes to the test's. */
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
