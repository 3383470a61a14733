/**
 * `npm run release`: builds this commit's release for the platform it runs on, without network. The same commit gives the
 * same bytes (CONTRIBUTING.md has the conditions).
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packFolder } from "./archive.ts";
import { makeDebianPackage } from "./debian.ts";
import { makeImage } from "./image.ts";
import { findSource, root } from "./sources.ts";
import { together } from "./together.ts";
import { checksums, makeTree } from "./tree.ts";

const kinds = ["tarball", "deb", "image"] as const;
const { values } = parseArgs({
  options: { out: { type: "string" }, only: { type: "string", default: kinds.join(",") } },
});
const out = resolve(values.out ?? join(root, "dist"));
const only = kinds.filter((kind) => values.only.split(",").includes(kind));
if (only.join(",") !== values.only) throw new Error(`--only takes some of ${kinds.join(",")}, in this order`);

process.umask(0o022);
const source = findSource();
const name = `skein-${source.version}-${process.platform}-${process.arch}`;
process.env["SOURCE_DATE_EPOCH"] = String(source.time); // for dpkg-deb

const work = await mkdtemp(join(tmpdir(), "skein-release-"));
try {
  const tree = join(work, name);
  if (values.out === undefined) await rm(out, { recursive: true, force: true }); // of an earlier commit
  await mkdir(out, { recursive: true });
  await timed("files", () => makeTree(tree, source));
  await cp(join(tree, "sbom.cdx.json"), join(out, `${name}.cdx.json`));
  const steps = {
    tarball: () => packFolder(work, name, join(out, `${name}.tar.gz`), source.time),
    deb: () => makeDebianPackage(tree, out, source),
    image: () => makeImage(tree, out, source),
  };
  await together(only.map((kind) => timed(kind, steps[kind])));
} finally {
  await rm(work, { recursive: true, force: true });
}
await rm(join(out, "SHA256SUMS"), { force: true });
const sums = await checksums(out);
await writeFile(join(out, "SHA256SUMS"), sums);
process.stdout.write(sums);

async function timed(what: string, step: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await step();
  process.stderr.write(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}
