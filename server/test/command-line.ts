/** Runs `skein` as an operator does: as a separate process, with settings in its environment. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { inject } from "vitest";
import { connect } from "../src/platform/db/connect.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "../bin/skein.js");

export interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

/** Nothing but what Node itself needs. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}

export class CommandLine {
  readonly #settings: Record<string, string>;

  /** With nothing but these environment variables, and those that Node itself needs. */
  constructor(settings: Record<string, string>) {
    this.#settings = settings;
  }

  async run(args: string[], settings: Record<string, string> = {}): Promise<Outcome> {
    const env = { ...bareEnvironment(), ...this.#settings, ...settings };
    try {
      return { status: 0, ...(await run(process.execPath, [program, ...args], { env })) };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }; // a failed child's own
      return { status: code, stdout, stderr };
    }
  }

  /** The result of a command that has to succeed. */
  async json(...args: string[]): Promise<unknown> {
    const { status, stdout, stderr } = await this.run([...args, "--json"]);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }
}

/** The URL of a database without tables. Many commands look for the only organization of a server. */
export async function emptyDatabase(): Promise<string> {
  const name = `cli_${randomBytes(4).toString("hex")}`;
  const db = connect({ url: inject("postgresUrl"), connections: 1, name: "test" });
  await sql`create database ${sql.id(name)}`.execute(db);
  await db.destroy();
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return url.href;
}
