/**
 * The folder that the packages of a release are made from: the program, its Node, the web client, licenses, a bill of materials,
 * and the files for containers, which the image leaves out.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildWhenStale } from "../web/build.ts";
import { normalizeModes, stampTimes } from "./archive.ts";
import { bundle, dataPackages, nativePackages } from "./bundle.ts";
import { copyDeploymentFiles, deploymentFiles, deploymentFolder } from "./deployment.ts";
import { licenseTexts } from "./license-texts.ts";
import { copyPackageFiles, copyPackages, findPackage, withDependencies } from "./packages.ts";
import { billOfMaterials } from "./sbom.ts";
import { root, type Source } from "./sources.ts";

/** Packages of which something is in the built web client. */
const inWebClient = ["@preact/signals", "idb", "lucide-static", "preact", "zod"];

export async function makeTree(folder: string, source: Source): Promise<void> {
  const lib = join(folder, "lib");
  await mkdir(join(folder, "bin"), { recursive: true });
  await mkdir(join(folder, "runtime"));

  const bundled = await bundle(lib, source.commit);
  const native = await withDependencies(nativePackages);
  await copyPackages(native, lib);
  for (const [name, files] of Object.entries(dataPackages)) await copyPackageFiles(name, files, lib);

  await buildWhenStale();
  // The bundler's notes, and the stamp with the times of the sources, are for developers.
  const isShipped = (path: string) => !/\/(?:\.vite|built-from\.txt)$/.test(path);
  await cp(join(root, "web/dist"), join(lib, "web/dist"), { recursive: true, filter: isShipped });

  await cp(join(root, "node_modules/node/bin/node"), join(folder, "runtime/node"), { dereference: true });
  await cp(join(import.meta.dirname, "skein.sh"), join(folder, "bin/skein"));
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  const deployment = deploymentFiles();
  await copyDeploymentFiles(folder, deployment);

  const data = Object.keys(dataPackages).map((name) => `node_modules/${name}`);
  const folders = new Set([
    ...bundled,
    ...native,
    ...data,
    ...(await withDependencies(inWebClient)),
    "node_modules/node",
  ]);
  const packages = [...folders].toSorted().map(findPackage);
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.txt"), await licenseTexts(packages));
  await writeFile(join(folder, "sbom.cdx.json"), await billOfMaterials(source, packages));
  await writeFile(join(folder, "SHA256SUMS"), await checksums(folder));
  const scripts = deployment.filter(({ isProgram }) => isProgram).map(({ path }) => `${deploymentFolder}/${path}`);
  const programs = new Set(["bin/skein", "runtime/node", ...scripts]);
  await normalizeModes(folder, (path) => programs.has(path));
  stampTimes(folder, source.time);
}

/** In the format of sha256sum. */
export async function checksums(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const hash = createHash("sha256").update(await readFile(join(folder, file)));
    lines.push(`${hash.digest("hex")}  ${file}\n`);
  }
  return lines.join("");
}
