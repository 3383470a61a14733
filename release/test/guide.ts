/** Runs the commands of docs/operating/install.md, from a fresh Debian to the first message, and then upgrades the package. */
import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { root as repository } from "../sources.ts";
import { boot, type Machine } from "./machine.ts";
import type { NextVersion } from "./next-version.ts";

/** The sections that an operator follows, in order. */
const sections = ["The engines", "Debian package"];
const maxMinutes = 10;

export async function testGuide(deb: string, next: NextVersion, root: string): Promise<void> {
  for (const each of [deb, next.deb]) await copyFile(each, join(root, "root", basename(each)));
  const machine = await boot(root).catch((error: unknown) => {
    console.log(`install guide: not run, because this machine cannot boot a container. ${String(error)}`);
    return undefined;
  });
  if (!machine) return;
  try {
    const start = performance.now();
    const commands = await commandsOf("docs/operating/install.md", basename(deb));
    const printed = await machine.run(["bash", "-euc", `cd /root\n${commands}`]);
    const minutes = (performance.now() - start) / 60_000;
    assert.match(printed, /"result":"success"/, "the first message is sent");
    assert.ok(minutes < maxMinutes, `the commands took ${minutes.toFixed(1)} minutes`);
    console.log(
      `install guide: ${commands.split("\n").length} lines, first message after ${minutes.toFixed(1)} minutes`,
    );
    await testUpgrade(machine, `/root/${basename(next.deb)}`, next.version);
  } finally {
    await machine.powerOff();
  }
}

/** The package's own upgrade: it migrates, restarts what runs, and what it restarts keeps its data. */
async function testUpgrade(machine: Machine, file: string, version: string): Promise<void> {
  const mainPid = () => machine.run(["systemctl", "show", "--property=MainPID", "--value", "skein"]);
  const before = await mainPid();
  await machine.run(["dpkg", "--force-confold", "--install", file]);
  assert.equal(await machine.run(["dpkg-query", "--show", "--showformat=${Version}", "skein"]), version);
  assert.notEqual(await mainPid(), before, "the upgrade restarts the running unit");
  assert.match(await machine.run(["skein", "health", "--wait", "30"]), /^ok/);
  assert.equal(await machine.run(["systemctl", "--failed", "--plain", "--no-legend", "list-units", "skein*"]), "");

  await machine.run(["dpkg", "--purge", "skein"]);
  const left = await machine.run(["find", "/etc/systemd", "/var/lib/skein", "/etc/skein", "-name", "*skein*"]).catch(
    ({ stdout }: { stdout: string }) => stdout, // folders that are gone
  );
  assert.equal(left, "", "purging leaves no unit and no file");
  assert.equal(await machine.run(["systemctl", "list-units", "--plain", "--no-legend", "skein*"]), "");
}

/** The shell commands of the page's sections, as printed, with the package's real name. */
async function commandsOf(page: string, file: string): Promise<string> {
  const text = await readFile(join(repository, page), "utf8");
  const chosen = text.split(/^## /m).filter((part) => sections.some((title) => part.startsWith(`${title}\n`)));
  assert.equal(chosen.length, sections.length, `${page} has the sections ${sections.join(", ")}`);
  const blocks = chosen.flatMap((part) =>
    [...(part.split(/^### /m)[0] ?? "").matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block),
  );
  return blocks.join("").replaceAll("skein_VERSION_amd64.deb", file);
}
