import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { expect, inject, test } from "vitest";
import { readConfig } from "../config.ts";

const program = join(import.meta.dirname, "../../bin/skein.js");

function skein(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Names every file that is loaded, one a line, where errors go. */
const tellLoaded = `data:text/javascript,${encodeURIComponent(`
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
  const { stderr } = spawnSync(process.execPath, ["--import", tellLoaded, program, ...args], { encoding: "utf8" });
  return stderr
    .trim()
    .split("\n")
    .map((url) => basename(url));
}

test("the help lists every command with a sentence", () => {
  const { status, stdout } = skein("--help");

  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}services start +Start a private PostgreSQL and NATS .*\.$/m);
  expect(skein()).toEqual(skein("--help"));
});

test("what lists commands loads none of them, so that it is quick", () => {
  const itself = ["skein.js", "main.ts", "command.ts"];

  for (const args of [["--help"], [], ["services"]]) expect(loadedBy(...args), args.join(" ")).toEqual(itself);
  expect(loadedBy("vapid-keys", "--help")).toEqual([...itself, "vapid-keys.ts", "vapid.ts"]);
});

test("a command's help lists its options with their defaults", () => {
  const { status, stdout } = skein("services", "start", "--help");

  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: skein services start \[options\]$/m);
  expect(stdout).toMatch(/^ {2}--dir DIR +The folder .* Default: \.skein\.$/m);
});

test("the first word of several commands lists those", () => {
  const { status, stdout } = skein("services");

  expect(status).toBe(0);
  expect(stdout.match(/^ {2}\w+ \w+/gm)).toEqual(["  services start", "  services stop", "  services status"]);
});

test.for([
  [["sing"], "There is no command `sing`."],
  [["services", "sing"], "There is no command `services sing`."],
  [["services", "start", "--sing"], "Unknown option '--sing'"],
  [["services", "start", "--nats-port", "x"], "--nats-port takes a number, not x"],
  [["services", "status", "loudly"], "There is one argument too many: loudly"],
] as const)("a wrong call is explained and exits with 2: %s", ([args, message]) => {
  const { status, stdout, stderr } = skein(...args);

  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/Run `skein .*--help`/);
});

test("a failure prints its message alone and exits with 1", () => {
  const file = join(import.meta.dirname, "main.ts");

  const { status, stderr } = skein("services", "start", "--dir", file);

  expect(status).toBe(1);
  expect(stderr.trim()).toBe(`EEXIST: file already exists, mkdir '${file}'`);
});

test("with --json the answer is one line of JSON", () => {
  const dir = join(inject("scratchFolder"), "never-started");

  const { stdout } = skein("services", "status", "--dir", dir, "--json");

  expect(stdout).toBe(`${JSON.stringify({ dir, postgres: null, nats: null })}\n`);
});

test("a key for notifications in browsers is printed as the setting that takes it", () => {
  const [, variable, key] = /^(SKEIN_VAPID_KEY)=(\S+)$/m.exec(skein("vapid-keys").stdout) ?? [];

  expect(readConfig({ [variable ?? ""]: key }).vapidKey).toBe(key);
});
