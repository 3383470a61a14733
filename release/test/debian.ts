/** Installs the Debian package in a fresh Debian, starts its units' commands, uses them, upgrades the package, and purges it. */
import assert from "node:assert/strict";
import { copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNats } from "../../server/src/platform/engines/binaries.ts";
import { dependencies } from "../debian.ts";
import {
  type Server,
  type Skein,
  type Words,
  assertStartsQuickly,
  plainEnvironment,
  run,
  startServer,
  withEngines,
} from "./commands.ts";
import { freePort } from "../../server/src/platform/engines/free-port.ts";
import { deploymentFolder } from "../deployment.ts";
import { testDeploymentFiles } from "./deployment.ts";
import { inRoot, makeDebianRoot } from "./fresh-root.ts";
import type { NextVersion } from "./next-version.ts";
import { runProbe } from "./probe.ts";
import { useServer } from "./use-server.ts";

const roles = ["api", "relay", "worker"] as const;
/** What `systemd-analyze security` may find, from 0 (nothing) to 100. */
const maxExposure = 20;

/** A Debian that contains what the package says it needs, the engines, and nothing else. */
export async function prepareDebian(root: string, archive: string | undefined): Promise<void> {
  const machine = ["systemd", "systemd-sysv", "dbus", "apt", "curl"]; // for the install guide
  await makeDebianRoot(root, [...(await dependencies()), "postgresql", ...machine], archive);
  // The program depends on nothing but the C library, and the package of a stable Debian is too old.
  await copyFile(await findNats(), join(root, "usr/local/bin/nats-server"));
}

export async function testDebianPackage(deb: string, next: NextVersion, root: string, commit: string): Promise<void> {
  const within = (...words: Words) => run(inRoot(root, words));
  const skein: Skein = (...args) => within("skein", ...args);

  const installed = ["/tmp/skein.deb", "/tmp/skein-next.deb"] as const;
  await copyFile(deb, join(root, installed[0]));
  await copyFile(next.deb, join(root, installed[1]));
  await within("dpkg", "--install", installed[0]);
  for (const name of ["skein.env", "secret.env"])
    assert.equal(await modeOf(join(root, "etc/skein", name)), "640", name);
  assert.ok((await skein("--version")).includes(`commit ${commit}`), "--version names the commit");
  await testDeploymentFiles(join(root, "usr", deploymentFolder));
  await testSandbox(join(root, "usr/lib/systemd/system"));

  await withEngines(skein, "/var/lib/skein/engines", async (engines) => {
    const ports = { api: await freePort(), relay: await freePort(), worker: await freePort() };
    const url = `http://127.0.0.1:${ports.api}`;
    await configure(join(root, "etc/skein/skein.env"), {
      ...engines,
      SKEIN_EXTERNAL_URL: url,
      SKEIN_PORT: String(ports.api),
      SKEIN_DRAIN_DELAY_SECONDS: "0",
    });
    for (const role of ["relay", "worker"] as const)
      await writeFile(join(root, `etc/skein/skein-${role}.env`), `SKEIN_HEALTH_PORT=${ports[role]}\n`);
    await skein("migrate");

    const starts: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const server = await startUnit(root, "skein", url);
      starts.push(server.milliseconds);
      await server.stop();
    }
    await assertStartsQuickly("Debian package", starts, join(root, "usr/lib/skein/runtime/node"));

    const servers: Server[] = [];
    for (const role of roles) servers.push(await startUnit(root, `skein-${role}`, `http://127.0.0.1:${ports[role]}`));
    const owner = await useServer(url, skein, join(root, "usr/lib/skein/lib"));
    for (const permission of ["can_create_users", "can_change_user_emails"])
      await skein("user", "grant", owner.email, permission);
    await runProbe(url, owner);
    await Promise.all(servers.map((server) => server.stop()));
  });

  const settings = await readFile(join(root, "etc/skein/skein.env"), "utf8");
  const secret = await readFile(join(root, "etc/skein/secret.env"), "utf8");
  await within("dpkg", "--force-confold", "--install", installed[1]);
  assert.equal(await within("dpkg-query", "--show", "--showformat=${Version}", "skein"), next.version);
  assert.equal(await readFile(join(root, "etc/skein/skein.env"), "utf8"), settings, "changed settings are kept");
  assert.match(
    await readFile(join(root, "etc/skein/skein.env.dpkg-dist"), "utf8"),
    next.added,
    "new ones are beside them",
  );
  assert.equal(await readFile(join(root, "etc/skein/secret.env"), "utf8"), secret, "the secret is kept");
  const changed = await run(inRoot(root, ["sh", "-c", "dpkg --verify skein || true"]));
  assert.match(changed, /^\S+ c \/etc\/skein\/skein\.env\n$/, "nothing else was changed");

  await within("rm", "/etc/skein/skein-relay.env", "/etc/skein/skein-worker.env", ...installed);
  await within("dpkg", "--purge", "skein");
  const left = await run(["find", root, "-xdev", "-name", "*skein*"]);
  assert.equal(left, "", "purging leaves nothing");
  for (const database of ["passwd", "group"])
    assert.doesNotMatch(await readFile(join(root, "etc", database), "utf8"), /skein/, `purging leaves no ${database}`);
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

/** Replaces settings in the file, and adds those that it does not have. */
async function configure(file: string, settings: Record<string, string>): Promise<void> {
  const lines = (await readFile(file, "utf8")).split("\n");
  const kept = lines.filter((line) => !Object.keys(settings).some((name) => line.startsWith(`${name}=`)));
  const added = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  await writeFile(file, [...kept, ...added, ""].join("\n"));
}

/** Runs the unit's command as its user, with its environment and its folders. */
async function startUnit(root: string, name: string, url: string): Promise<Server> {
  const unit = await readFile(join(root, `usr/lib/systemd/system/${name}.service`), "utf8");
  const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const [program = "", ...args] = values("ExecStart").join(" ").split(" ");
  const files = values("EnvironmentFile").map((file) => join(root, file.replace(/^-/, "").replace("%p", name)));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const pairs = [...values("Environment"), ...texts.flatMap((text) => text.split("\n"))].filter((line) =>
    /^\w+=/.test(line),
  );
  const env = Object.fromEntries(
    pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const [user = "", group = ""] = [...values("User"), ...values("Group")];
  for (const [key, parent] of [
    ["StateDirectory", "/var/lib"],
    ["CacheDirectory", "/var/cache"],
  ] as const)
    for (const folder of values(key))
      await run(inRoot(root, ["install", "-d", "-m", "750", "-o", user, "-g", group, `${parent}/${folder}`]));
  const words = inRoot(root, [program, ...args], { user: `${user}:${group}` });
  const server = await startServer(words, { ...plainEnvironment, ...env }, url);
  console.log(`Debian package: ${name} starts in ${server.milliseconds} ms`);
  return server;
}

async function testSandbox(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith("skein")) continue;
    const threshold = `--threshold=${maxExposure}`;
    await run(["systemd-analyze", "security", "--offline=true", "--no-pager", threshold, join(folder, name)]);
  }
}
