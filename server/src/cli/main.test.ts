import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { readConfig } from "../config.ts";
import { table } from "./command.ts";

const program = join(import.meta.dirname, "../../bin/skein.js");

function skein(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Prints every loaded file to standard error, one per line. */
const printLoaded = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from "node:fs";
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) writeSync(2, url + "\\n");
      return next(url, context);
    },
  });
`)}`;

function loadedBy(...args: string[]): string[] {
  const { stderr } = spawnSync(process.execPath, ["--import", printLoaded, program, ...args], { encoding: "utf8" });
  return stderr
    .trim()
    .split("\n")
    .map((url) => basename(url));
}

test("the help lists every command with a description", () => {
  const { status, stdout } = skein("--help");

  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}services start +Start a private PostgreSQL and NATS .*\.$/m);
  expect(skein()).toEqual(skein("--help"));
});

test("listing commands loads none of them, to be fast", () => {
  const itself = ["skein.js", "main.ts", "command.ts", "commands.ts"];

  for (const args of [["--help"], [], ["services"]]) expect(loadedBy(...args), args.join(" ")).toEqual(itself);
  expect(loadedBy("vapid-keys", "--help")).toEqual([...itself, "vapid-keys.ts", "vapid.ts"]);
});

test("a command's help lists its options with their defaults", () => {
  const { status, stdout } = skein("services", "start", "--help");

  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: skein services start \[options\]$/m);
  expect(stdout).toMatch(/^ {2}--dir DIR +The folder .* Default: \.skein\.$/m);
});

test("a command's help has several spellings", () => {
  const help = skein("health", "--help");

  expect(help.stdout).toContain("Usage: skein health");
  expect(skein("health", "-h")).toEqual(help);
  expect(skein("help", "health")).toEqual(help);
  expect(skein("help")).toEqual(skein("--help"));
});

test("the name of a group lists its commands", () => {
  const { status, stdout } = skein("services");

  expect(status).toBe(0);
  expect(stdout.match(/^ {2}\w+ \w+/gm)).toEqual(["  services start", "  services stop", "  services status"]);
});

test.for([
  [["sing"], "Unknown command `sing`."],
  [["services", "sing"], "Unknown command `services sing`."],
  [["services", "start", "--sing"], "Unknown option '--sing'"],
  [["services", "start", "--nats-port", "x"], "--nats-port must be a number, not x"],
  [["services", "start", "--nats-port", " "], "--nats-port must be a number"],
  [["services", "start", "--nats-port", "70000"], "--nats-port must be an integer from 1 to 65535, not 70000"],
  [["jobs", "list", "--limit=-1"], "--limit must be an integer from 1 to 100000, not -1"],
  [["user", "list", "--after", "1.5"], "--after must be an integer of at least 1, not 1.5"],
  [["jobs", "retry", "--ids", "1,0x2"], "--ids must be IDs, separated by commas, not 1,0x2"],
  [["services", "status", "loudly"], "Unexpected argument: loudly"],
] as const)("an invalid command line prints an explanation and exits with 2: %s", ([args, message]) => {
  const { status, stdout, stderr } = skein(...args);

  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/Run `skein .*--help`/);
});

test("a reader that goes away early is not an error", () => {
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", 'set -o pipefail; "$0" "$1" config | true', process.execPath, program],
    { encoding: "utf8" },
  );

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("texts of users cannot control the operator's terminal", () => {
  expect(table([["key 1", "\u001b]0;hello\u0007\r\u009b2Japp"]])).toBe("  key 1   ]0;hello   2Japp");
});

test("--version names the release, and says that it is not a built one", () => {
  expect(skein("--version").stdout).toMatch(/^skein \d+\.\d+\.\d+ \(from a checkout\)\n$/);
  expect(JSON.parse(skein("--version", "--json").stdout)).toMatchObject({ commit: null, node: process.version });
});

test("health asks the process on this machine, and fails if it is not ready", async () => {
  let status = 200;
  let body: string | undefined;
  const server = createServer((request, response) => {
    response.writeHead(status).end(body ?? JSON.stringify({ status: "as it is", checks: { asked: request.url } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // not a pipe
  const env = { ...process.env, SKEIN_HOST: "0.0.0.0", SKEIN_HEALTH_PORT: String(port) };
  const health = async (...options: string[]) =>
    promisify(execFile)(process.execPath, [program, "health", ...options], { env }).catch((error: unknown) => error);

  expect(await health()).toMatchObject({ stdout: "as it is\n\n  asked  /health/ready\n" });
  status = 503;
  expect(await health()).toMatchObject({ code: 1, stdout: expect.stringContaining("as it is") });
  server.once("request", () => (status = 200));
  expect(await health("--wait", "60")).toMatchObject({ stdout: expect.stringContaining("as it is") });
  body = "<h1>It works!</h1>";
  expect(await health()).toMatchObject({ code: 1, stderr: expect.stringContaining("is not a Skein server") });
  server.close();
  server.closeAllConnections();
  await once(server, "close");
  expect(await health()).toMatchObject({
    code: 1,
    stderr: `No server process responds at http://127.0.0.1:${port}/health/ready.\n`,
  });
});

test("a failure prints only its message and exits with 1", () => {
  const file = join(import.meta.dirname, "main.ts");

  const { status, stderr } = skein("services", "start", "--dir", file);

  expect(status).toBe(1);
  expect(stderr.trim()).toBe(`EEXIST: file already exists, mkdir '${file}'`);
});

test("with --json the output is one line of JSON", () => {
  const dir = join(inject("scratchFolder"), "never-started");

  const { stdout } = skein("services", "status", "--dir", dir, "--json");

  expect(stdout).toBe(`${JSON.stringify({ dir, postgres: null, nats: null })}\n`);
});

test("vapid-keys prints the key as the setting to use", () => {
  const [, variable, key] = /^(SKEIN_VAPID_KEY)=(\S+)$/m.exec(skein("vapid-keys").stdout) ?? [];

  expect(readConfig({ [variable ?? ""]: key }).vapidKey).toBe(key);
});
