/**
 * Runs commands in this process, which is much faster than `command-line.ts`, against the server of a test. One at a time,
 * because the environment and standard output belong to the whole process.
 */
import { vi } from "vitest";
import { runCommand } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import type { Config } from "../src/config.ts";

export class Commands {
  readonly #settings: Record<string, string>;

  constructor({ config }: { config: Config }, settings: Record<string, string> = {}) {
    this.#settings = {
      SKEIN_DATABASE_URL: config.databaseUrl,
      SKEIN_NATS_URL: config.natsUrl,
      SKEIN_LOG_NAME: config.logName,
      SKEIN_FILES_DIR: config.filesDir,
      SKEIN_SECRET: config.secret,
      ...settings,
    };
  }

  /** What the command prints. */
  async text(...argv: string[]): Promise<string> {
    const name = Object.keys(commands)
      .filter((known) => `${argv.join(" ")} `.startsWith(`${known} `))
      .toSorted((a, b) => b.length - a.length)[0];
    const listed = name === undefined ? undefined : commands[name];
    if (name === undefined || !listed) throw new Error(`no command is named ${argv.join(" ")}`);
    const declared = await listed.load();
    const before = { ...process.env };
    const printed: string[] = [];
    const output = vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
    const progress = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    for (const key of Object.keys(before)) if (key.startsWith("SKEIN_")) delete process.env[key];
    Object.assign(process.env, this.#settings);
    try {
      await runCommand({ name, summary: listed.summary }, declared, argv.slice(name.split(" ").length));
    } finally {
      for (const key of Object.keys(process.env)) if (!(key in before)) delete process.env[key];
      Object.assign(process.env, before);
      output.mockRestore();
      progress.mockRestore();
    }
    return printed.join("");
  }

  /** The result with `--json`. */
  async json(...argv: string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text(...argv, "--json")) as Record<string, unknown>; // what commands promise
  }
}
