/** The npm packages of a release, as package-lock.json has them. */
import { access, cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./sources.ts";

interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export interface Package extends LockedPackage {
  name: string;
  /** Its folder below the sources, such as node_modules/pg. */
  folder: string;
}

/** Where the package `node` puts the program for this platform, with its license. */
export const nodePackage = `node_modules/node/node_modules/node-${process.platform}-${process.arch}`;

const { packages: locked } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
  packages: Partial<Record<string, LockedPackage>>; // npm's format
};

export function findPackage(folder: string): Package {
  const found = locked[folder];
  if (!found) throw new Error(`package-lock.json has no ${folder}`);
  return { ...found, folder, name: folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length) };
}

/** The folders of packages and of everything they depend on. What is not installed is for other platforms. */
export async function withDependencies(names: readonly string[]): Promise<Set<string>> {
  const folders = new Set<string>();
  const visit = async (name: string, importer: string): Promise<void> => {
    const folder = resolve(name, importer);
    if (folder === undefined || folders.has(folder) || !(await isInstalled(folder))) return;
    folders.add(folder);
    const { dependencies, optionalDependencies } = findPackage(folder);
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) await visit(each, folder);
  };
  for (const name of names) {
    await visit(name, "");
    if (!folders.has(`node_modules/${name}`)) throw new Error(`${name} is not installed: run npm ci`);
  }
  return folders;
}

/** Where Node finds a package that a file in the importer's folder imports. */
function resolve(name: string, importer: string): string | undefined {
  const candidates = [`node_modules/${name}`];
  for (
    let folder = importer;
    folder !== "";
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))
  )
    candidates.splice(-1, 0, `${folder}/node_modules/${name}`);
  return candidates.find((candidate) => locked[candidate] !== undefined);
}

const isInstalled = (folder: string): Promise<boolean> =>
  access(join(root, folder, "package.json")).then(
    () => true,
    () => false,
  );

/** Declarations, sources of compiled code, and documents. */
const notNeeded = /\.(?:[cm]?ts|map|md|cc|h|gyp|flow)$/;

/** Copies packages to the same place below `lib`. */
export async function copyPackages(folders: Iterable<string>, lib: string): Promise<void> {
  for (const folder of folders) {
    const source = join(root, folder);
    const isNeeded = (path: string) => {
      const inside = path.slice(source.length);
      // Packages in a package are copied by themselves, if they are needed.
      return !inside.startsWith("/node_modules") && !notNeeded.test(inside);
    };
    await cp(source, join(lib, folder), { recursive: true, filter: isNeeded });
  }
}

/** Copies some files and folders of a package, and its package.json. */
export async function copyPackageFiles(name: string, files: readonly string[], lib: string): Promise<void> {
  const folder = `node_modules/${name}`;
  for (const file of ["package.json", ...files]) {
    const isNeeded = (path: string) => !notNeeded.test(path);
    await cp(join(root, folder, file), join(lib, folder, file), { recursive: true, filter: isNeeded });
  }
}
