/**
 * The class names of CSS modules, as the build exports them: written as declarations, so that a name that does not exist is
 * a type error, and searched for names that nothing uses.
 */
import { glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { preprocessCSS, resolveConfig } from "vite";

/** The class names of each CSS module, by its path in the folder. */
export type ClassNames = ReadonlyMap<string, readonly string[]>;

/** Where TypeScript looks for the declarations; see `rootDirs` in tsconfig.json. */
const declarations = ".types";

export async function readClassNames(folder: string): Promise<ClassNames> {
  const config = await resolveConfig({ configFile: join(import.meta.dirname, "vite.config.ts") }, "build");
  const found = new Map<string, readonly string[]>();
  for (const file of await filesOf(folder, "**/*.module.css")) {
    const path = join(folder, file);
    const css = await readFile(path, "utf8");
    const { modules = {} } = await preprocessCSS(css, path, config);
    const animations = new Set([...css.matchAll(/@keyframes\s+([\w-]+)/g)].map(([, name]) => name));
    found.set(
      file,
      Object.keys(modules).filter((name) => !animations.has(name)),
    );
  }
  return found;
}

export async function writeDeclarations(folder: string): Promise<void> {
  await rm(join(folder, declarations), { recursive: true, force: true });
  for (const [file, names] of await readClassNames(folder)) {
    const path = join(folder, declarations, file.replace(/\.css$/, ".d.css.ts"));
    const fields = names.map((name) => `  readonly ${name}: string;\n`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `declare const styles: {\n${fields.join("")}};\nexport default styles;\n`);
  }
}

/** Class names that no importing file mentions, as "file: name". */
export async function unusedClassNames(folder: string): Promise<string[]> {
  const used = new Map<string, Set<string>>();
  for (const file of await filesOf(folder, "**/*.{ts,tsx}")) {
    const source = await readFile(join(folder, file), "utf8");
    for (const [, styles, path = ""] of source.matchAll(/import (\w+) from "(\.[^"]+\.module\.css)"/g)) {
      const module = join(dirname(file), path);
      const names = used.get(module) ?? new Set();
      used.set(module, names);
      for (const [, name = ""] of source.matchAll(new RegExp(String.raw`\b${styles}\.(\w+)`, "g"))) names.add(name);
      // With styles[kind], every string of the file may be a class name.
      if (!new RegExp(String.raw`\b${styles}\[`).test(source)) continue;
      for (const [, text = ""] of source.matchAll(/"(\w+)"/g)) names.add(text);
    }
  }
  return [...(await readClassNames(folder))].flatMap(([file, names]) =>
    names.filter((name) => !used.get(file)?.has(name)).map((name) => `${file}: ${name}`),
  );
}

async function filesOf(folder: string, pattern: string): Promise<string[]> {
  const files: string[] = [];
  const exclude = ["node_modules/**", "dist*/**"];
  for await (const file of glob(pattern, { cwd: folder, exclude })) files.push(file);
  return files.toSorted();
}
