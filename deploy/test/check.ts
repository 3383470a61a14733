/** A place where deploy/ and compose.yaml are, and what every check needs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commands } from "../../server/src/cli/commands.ts";
import { settings } from "../../server/src/config.ts";

/** The folder of the programs that scripts/test-deployment installs. */
const tools = process.env["SKEIN_DEPLOYMENT_TOOLS"];
assert.ok(tools, "run this with scripts/test-deployment");

/** Runs one of these programs and returns what it prints. */
export async function runTool(name: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { stdout } = await promisify(execFile)(`${tools}/${name}`, args, { maxBuffer: 1e8, ...options });
  return stdout;
}

const known = new Set(Object.values(settings).map(({ variable }) => variable));

/** Every variable of Skein has to be a setting, with a value that the server accepts. */
export function assertKnownSettings(where: string, environment: Record<string, string>): void {
  const given = Object.entries(environment).filter(([name]) => name.startsWith("SKEIN_"));
  for (const [name, value] of given) {
    assert.ok(known.has(name), `${where}: ${name} is not a setting (see \`skein config\`)`);
    const setting = Object.values(settings).find(({ variable }) => variable === name);
    try {
      setting?.read(value);
    } catch (error) {
      assert.fail(`${where}: ${name} ${(error as Error).message}`);
    }
  }
}

/** The arguments have to be a command of Skein with options that it has. */
export async function assertKnownCommand(where: string, [name = "", ...options]: string[]): Promise<void> {
  const listed = commands[name];
  assert.ok(listed, `${where}: there is no command \`skein ${name}\``);
  if (options.length === 0) return; // loading a command takes time
  const command = await listed.load();
  for (const option of options)
    assert.ok(option.slice("--".length) in command.options, `${where}: \`skein ${name}\` has no option ${option}`);
}

const defaultOf = (name: string): number =>
  Number(Object.values(settings).find(({ variable }) => variable === name)?.default);

/** A process that is stopped needs this long at most. */
export function assertEnoughTimeToStop(where: string, seconds: number, environment: Record<string, string>): void {
  const of = (name: string): number => Number(environment[name] ?? defaultOf(name));
  const needed = of("SKEIN_DRAIN_DELAY_SECONDS") + of("SKEIN_SHUTDOWN_SECONDS");
  assert.ok(seconds > needed, `${where}: ${seconds} s to stop are not more than the ${needed} s that Skein may need`);
}

/** The lines of a file of environment variables. */
export function readEnvironmentFile(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
