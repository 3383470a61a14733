/** The quadlet units, as Podman's generator makes them, after deploy/quadlet/install has put them into a folder. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  assertEnoughTimeToStop,
  assertKnownCommand,
  assertKnownSettings,
  readEnvironmentFile,
  runTool,
} from "./check.ts";

export async function checkQuadlet(root: string, version: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "skein-quadlet-"));
  try {
    const install = (...args: string[]) =>
      execFileSync(join(root, "deploy/quadlet/install"), args, {
        env: { ...process.env, DESTDIR: scratch },
        stdio: "pipe",
      });
    assert.throws(() => install(), /no settings/, "the first time it needs a name");
    assert.throws(() => install("https://chat.example.com"), /the name alone/, "a URL is not a name");
    install("chat.example.com");
    assert.throws(() => install("chat.example.com"), /exists/, "settings are not replaced");
    install();
    const folder = join(scratch, "etc/containers/systemd");
    for (const file of ["skein.env", "postgres.env"])
      assert.equal((await stat(join(scratch, "etc/skein", file))).mode & 0o077, 0, `only root can read ${file}`);

    // Fails if a unit has a key that it does not know.
    const generated = await runTool("quadlet", ["-dryrun"], { env: { QUADLET_UNIT_DIRS: folder } });
    const settings = readEnvironmentFile(await readFile(join(scratch, "etc/skein/skein.env"), "utf8"));
    assertKnownSettings("quadlet: skein.env", settings);
    const engines = readEnvironmentFile(await readFile(join(scratch, "etc/skein/postgres.env"), "utf8"));
    const database = new URL(settings["SKEIN_DATABASE_URL"] ?? "");
    assert.equal(database.password, engines["DATABASE_PASSWORD"], "quadlet: Skein can sign in to PostgreSQL");
    const hosts = [database.hostname, new URL(settings["SKEIN_NATS_URL"] ?? "").hostname];

    const units = new Map(
      generated.split(/^---(?=\S+---$)/m).map((text) => [text.slice(0, text.indexOf("---")), text] as const),
    );
    const sources = await readdir(folder);
    assert.equal(
      [...units.keys()].filter((name) => name.endsWith(".service")).length,
      sources.length,
      "a service each",
    );
    const names: string[] = [];
    for (const source of sources.filter((name) => name.endsWith(".container"))) {
      const unit = units.get(source.replace(".container", ".service")) ?? assert.fail(`${source} gives no unit`);
      const command = /^ExecStart=\S+\/podman run (.*)$/m.exec(unit)?.[1] ?? assert.fail(`${source} starts nothing`);
      names.push(/--name (\S+)/.exec(command)?.[1] ?? "");
      assert.match(command, /--security-opt=no-new-privileges/, source);
      const given = [...command.matchAll(/--env (\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]);
      assertKnownSettings(source, Object.fromEntries(given) as Record<string, string>);
      const isOpen = [...command.matchAll(/--publish (\S+)/g)].map(([, port]) => port);
      if (!command.includes("localhost/skein:")) {
        assert.deepEqual(isOpen, [], `${source} publishes nothing`);
        assert.doesNotMatch(command, /skein-outside/, `${source} is on the engines' network only`);
        continue;
      }
      assert.match(
        command,
        new RegExp(`localhost/skein:${version.replaceAll(".", "\\.")} `),
        `${source} runs this release`,
      );
      await assertKnownCommand(source, command.slice(command.indexOf("localhost/skein:")).split(" ").slice(1));
      assert.match(command, / --cap-drop all --read-only /, `${source} can do as little as possible`);
      if (source !== "skein.container") continue;
      assert.deepEqual(isOpen, ["127.0.0.1:9991:9991"], `${source} listens for a proxy on this machine`);
      assertEnoughTimeToStop(source, Number(/--stop-timeout (\d+)/.exec(command)?.[1]), settings);
      assert.match(command, /-v skein-files:\/var\/lib\/skein/, "uploaded files are in a volume");
    }
    for (const host of hosts) assert.ok(names.includes(host), `quadlet: there is a container ${host}`);
  } finally {
    await rm(scratch, { recursive: true });
  }
}
