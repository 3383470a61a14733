/**
 * The command line. Each entry is the words that call a command, what it does in one sentence, and where it lives; a file
 * is loaded only when its command is called. Exit codes: 0 done, 1 failed, 2 called wrongly.
 */
import { type Command, print, runCommand, table, UsageError } from "./command.ts";

interface Listed {
  summary: string;
  load: () => Promise<Command>;
}

const commands: Record<string, Listed> = {
  config: {
    summary: "List every setting of a server: its environment variable, its meaning, its default and what it is now.",
    load: async () => (await import("./config.ts")).config,
  },
  dev: {
    summary: "Start everything on this machine with a fresh organization, and print how to reach it.",
    load: async () => (await import("./dev.ts")).dev,
  },
  migrate: {
    summary: "Bring the database's tables up to this version.",
    load: async () => (await import("./migrate.ts")).migrate,
  },
  "realm create": {
    summary: "Make an organization.",
    load: async () => (await import("./realm-create.ts")).realmCreate,
  },
  serve: {
    summary: "Run a server process until it is told to stop; it is configured by the variables of `skein config`.",
    load: async () => (await import("./serve.ts")).serve,
  },
  "services start": {
    summary: "Start a private PostgreSQL and NATS from the installed programs, and print their addresses.",
    load: async () => (await import("./services.ts")).servicesStart,
  },
  "services stop": {
    summary: "Stop them and wait until they are gone; their data stays.",
    load: async () => (await import("./services.ts")).servicesStop,
  },
  "services status": {
    summary: "Tell whether they run, and where.",
    load: async () => (await import("./services.ts")).servicesStatus,
  },
  "user create": {
    summary: "Make an account.",
    load: async () => (await import("./user-create.ts")).userCreate,
  },
  "user role": {
    summary: "Give an account another role: owner, administrator, moderator, member, guest.",
    load: async () => (await import("./user-role.ts")).userRole,
  },
  "user api-key": {
    summary: "Make an API key for an account and print it, or take all its keys away.",
    load: async () => (await import("./user-api-key.ts")).userApiKey,
  },
  "user grant": {
    summary: "Give an account a right that no role brings: can_create_users or can_change_user_emails.",
    load: async () => (await import("./user-grant.ts")).userGrant,
  },
  "user deactivate": {
    summary: "Close an account: it can do nothing until it is opened again, and keeps all it has.",
    load: async () => (await import("./user-activation.ts")).userDeactivate,
  },
  "user reactivate": {
    summary: "Open a closed account again.",
    load: async () => (await import("./user-activation.ts")).userReactivate,
  },
  "vapid-keys": {
    summary: "Make the key that browsers know this server's notifications by. It is shown once and kept nowhere.",
    load: async () => (await import("./vapid-keys.ts")).vapidKeys,
  },
};

const helpHint = "Run `skein --help` for the list of commands.";

async function main(argv: string[]): Promise<void> {
  const [first] = argv;
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    print(overview(commands));
    return;
  }
  const name = Object.keys(commands).find((words) => words.split(" ").every((word, index) => argv[index] === word));
  const listed = name === undefined ? undefined : commands[name];
  if (name !== undefined && listed !== undefined) {
    const title = { name, summary: listed.summary };
    await runCommand(title, await listed.load(), argv.slice(name.split(" ").length)).catch((error: unknown) => {
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
  print(overview(Object.fromEntries(group)));
}

function overview(listed: typeof commands): string {
  const rows = Object.entries(listed).map(([name, { summary }]): [string, string] => [name, summary]);
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
