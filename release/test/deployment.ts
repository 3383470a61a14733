/** The files for containers: all of them are in the package, and its programs run from there. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { deploymentFiles } from "../deployment.ts";
import { plainEnvironment, run } from "./commands.ts";

/** `share` is the package's folder with them. */
export async function testDeploymentFiles(share: string): Promise<void> {
  const entries = await readdir(share, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const expected = deploymentFiles().map(({ path }) => path);
  assert.deepEqual(found.map((path) => relative(share, path)).toSorted(), expected.toSorted());
  for (const folder of ["compose", "engines", "helm", "kubernetes", "monitoring", "quadlet"])
    assert.ok(
      expected.some((path) => path.startsWith(`deploy/${folder}/`)),
      `deploy/${folder} is there`,
    );

  const cwd = await mkdtemp(join(tmpdir(), "skein-deployment-"));
  try {
    await run([join(share, "deploy/compose/make-env"), "chat.example.com"], { cwd });
    assert.match(await readFile(join(cwd, "skein.env"), "utf8"), /^SKEIN_SECRET=[0-9a-f]{64}$/m);
    const env = { ...plainEnvironment, DESTDIR: cwd };
    await run([join(share, "deploy/quadlet/install"), "chat.example.com"], { cwd, env });
    assert.ok((await readdir(join(cwd, "etc/containers/systemd"))).includes("skein.container"));
  } finally {
    await rm(cwd, { recursive: true });
  }
}
