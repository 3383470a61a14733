/** The command line. Exit codes: 0 success, 1 failure, 2 invalid command line. */
import { print, runCommand, table, UsageError } from "./command.ts";
import { commands, type Listed } from "./commands.ts";

const helpHint = "Run `skein --help` for the list of commands.";

async function main(given: string[]): Promise<void> {
  const argv = rewritten(given);
  const [first] = argv;
  if (first === undefined || first === "--help" || first === "-h") {
    print(overview(commands));
    return;
  }
  const name = Object.keys(commands).find((words) => words.split(" ").every((word, index) => argv[index] === word));
  const listed = name === undefined ? undefined : commands[name];
  if (name !== undefined && listed !== undefined) {
    const title = { name, summary: listed.summary };
    await runCommand(title, await listed.load(), argv.slice(name.split(" ").length)).catch((error: unknown) => {
      if (error instanceof UsageError)
        throw new UsageError(`${error.message}\nRun \`skein ${name} --help\` for its usage.`);
      throw error;
    });
    return;
  }
  // `skein services` alone is a group: list its commands.
  const group = Object.entries(commands).filter(([words]) => words.startsWith(`${first} `));
  if (group.length === 0) throw new UsageError(`Unknown command \`${first}\`. ${helpHint}`);
  const [, second] = argv;
  if (second !== undefined && !second.startsWith("-")) {
    throw new UsageError(`Unknown command \`${first} ${second}\`. ${helpHint}`);
  }
  print(overview(Object.fromEntries(group)));
}

/** Other ways to write a command line. */
function rewritten([first, ...rest]: string[]): string[] {
  if (first === "--version") return ["version", ...rest];
  if (first === "help") return [...rest, "--help"];
  return first === undefined ? [] : [first, ...rest];
}

function overview(listed: Record<string, Listed>): string {
  const rows = Object.entries(listed).map(([name, { summary }]): [string, string] => [name, summary]);
  return ["Usage: skein COMMAND [options]", "", table(rows), "", "`skein COMMAND --help` describes one command."].join(
    "\n",
  );
}

// `skein … | head` closes the pipe early. The command goes on, because it may be in the middle of a change.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // A failed command may leave connections open, which would keep the process alive.
  process.exit(error instanceof UsageError ? 2 : 1);
}
