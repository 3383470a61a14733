/**
 * The command line. Each entry is the words that call a command and where it lives; a file is loaded only when its
 * command is called, or to print its summary. Exit codes: 0 done, 1 failed, 2 called wrongly.
 */
import { type Command, print, runCommand, table, UsageError } from "./command.ts";

const commands: Record<string, () => Promise<Command>> = {
  config: async () => (await import("./config.ts")).config,
  dev: async () => (await import("./dev.ts")).dev,
  migrate: async () => (await import("./migrate.ts")).migrate,
  "realm create": async () => (await import("./realm-create.ts")).realmCreate,
  serve: async () => (await import("./serve.ts")).serve,
  "services start": async () => (await import("./services.ts")).servicesStart,
  "services stop": async () => (await import("./services.ts")).servicesStop,
  "services status": async () => (await import("./services.ts")).servicesStatus,
  "user create": async () => (await import("./user-create.ts")).userCreate,
  "user role": async () => (await import("./user-role.ts")).userRole,
  "user api-key": async () => (await import("./user-api-key.ts")).userApiKey,
  "user grant": async () => (await import("./user-grant.ts")).userGrant,
  "user deactivate": async () => (await import("./user-activation.ts")).userDeactivate,
  "user reactivate": async () => (await import("./user-activation.ts")).userReactivate,
  "vapid-keys": async () => (await import("./vapid-keys.ts")).vapidKeys,
};

const helpHint = "Run `skein --help` for the list of commands.";

async function main(argv: string[]): Promise<void> {
  const [first] = argv;
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    print(await overview(commands));
    return;
  }
  const name = Object.keys(commands).find((words) => words.split(" ").every((word, index) => argv[index] === word));
  const load = name === undefined ? undefined : commands[name];
  if (name !== undefined && load !== undefined) {
    await runCommand(name, await load(), argv.slice(name.split(" ").length)).catch((error: unknown) => {
      if (error instanceof UsageError)
        throw new UsageError(`${error.message}\nRun \`skein ${name} --help\` to see how it is called.`);
      throw error;
    });
    return;
  }
  // `skein services` alone names a group: show what is in it.
  const group = Object.entries(commands).filter(([words]) => words.startsWith(`${first} `));
  if (group.length === 0) throw new UsageError(`There is no command \`${first}\`. ${helpHint}`);
  const [, second] = argv;
  if (second !== undefined && !second.startsWith("-")) {
    throw new UsageError(`There is no command \`${first} ${second}\`. ${helpHint}`);
  }
  print(await overview(Object.fromEntries(group)));
}

async function overview(listed: typeof commands): Promise<string> {
  const rows = await Promise.all(
    Object.entries(listed).map(async ([name, load]): Promise<[string, string]> => [name, (await load()).summary]),
  );
  return ["Usage: skein COMMAND [options]", "", table(rows), "", "`skein COMMAND --help` tells more about one."].join(
    "\n",
  );
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // A failed command may leave connections open that would keep the process alive.
  process.exit(error instanceof UsageError ? 2 : 1);
}
