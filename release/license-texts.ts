/** The licenses of all packages in a release, as one text. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { nodePackage, type Package } from "./packages.ts";
import { root } from "./sources.ts";

const isLicense = /^(?:licen[cs]e|notice|copying)/i;

const standard = (file: string) => readFile(join(import.meta.dirname, "licenses", file), "utf8");

/** Licenses of packages that have no file with their text. */
const standardTexts: Record<string, () => Promise<string[]>> = {
  MIT: async () => [await standard("MIT.txt")],
  "Apache-2.0": async () => [await readFile(join(root, "LICENSE"), "utf8")],
  // Terms that are added to those of the GPL.
  "LGPL-3.0-or-later": async () => [await standard("LGPL-3.0.txt"), await standard("GPL-3.0.txt")],
};

export async function licenseTexts(packages: Package[]): Promise<string> {
  const parts: string[] = [];
  for (const each of packages) {
    const line = "=".repeat(80);
    const heading = `${each.name} ${each.version}${each.license === undefined ? "" : ` (${each.license})`}`;
    parts.push(`${line}\n${heading}\n${line}\n\n${(await textsOf(each)).map((text) => text.trim()).join("\n\n")}\n`);
  }
  return `Skein contains the following packages, each under the license given with it.\n\n${parts.join("\n")}`;
}

async function textsOf(given: Package): Promise<string[]> {
  const folder = join(root, given.name === "node" ? nodePackage : given.folder);
  const files = (await readdir(folder)).filter((file) => isLicense.test(file)).toSorted();
  if (files.length > 0) return Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const texts = await standardTexts[given.license ?? ""]?.();
  if (!texts) throw new Error(`${given.folder} has no license file, and no text is known for ${given.license}`);
  return [`Copyright: ${await authorOf(folder)}`, ...texts];
}

async function authorOf(folder: string): Promise<string> {
  const { author = "its authors" } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    author?: string | { name: string }; // npm's format
  };
  return typeof author === "string" ? author : author.name;
}
