/**
 * Bundles server and command line into a folder of JavaScript files, `lib`. Sources find other files by their own folder
 * (`import.meta.dirname`), which for bundled code is always `lib`. So the bundler replaces each of these paths by the one in
 * the release, where files that are not code are at the same place below `lib` as in the repository.
 */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { root } from "./sources.ts";

/** The command line, and the threads that it starts. */
const entries = [
  "server/src/cli/main.ts",
  "server/src/domain/people/auth/guesses-thread.ts",
  "server/src/domain/joining/saml/verify-thread.ts",
];

/** Folders with files that are read while the server runs. */
const data = ["server/src/platform/db/migrations", "server/src/cli/demo/story", "api/recorded"];

/** Packages with native code, which stay packages. */
export const nativePackages = ["@node-rs/argon2", "sharp"];

/** Packages whose files are loaded by name when they are needed, and those files. */
export const dataPackages: Record<string, readonly string[]> = {
  "disposable-email-domains": ["index.json", "wildcard.json"],
  "highlight.js": ["lib/core.js", "lib/languages", "es/core.js", "es/package.json"],
  katex: ["dist/katex.js"],
};

/** Packages that libraries load only for features that Skein does not use. */
const absent = ["pg-native", "typescript"];

const unbundled = [...nativePackages, ...Object.keys(dataPackages), ...absent];
const isUnbundled = (id: string): boolean => unbundled.some((name) => id === name || id.startsWith(`${name}/`));

/** Ways to find other files that the bundle supports: packages, entries (`.ts` here, `.js` there), and other files. */
const ways = {
  package: /createRequire\(import\.meta\.url\)/g,
  url: /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g,
  file: /join\(import\.meta\.dirname, "([^"]+)"\)/g,
};

const paths: Plugin = {
  name: "paths",
  transform: {
    filter: { id: /\/(?:api|server)\/src\/.*\.ts$/, code: "import.meta." },
    handler(code, id) {
      const file = relative(root, id);
      const rest = Object.values(ways).reduce((text, way) => text.replace(way, ""), code);
      if (rest.includes("import.meta."))
        throw new Error(`${file} finds a file in a way that release/bundle.ts does not support`);
      const isEntry = (name: string) => entries.includes(join(dirname(file), `${name}.ts`));
      const entry = (name: string): string => {
        if (!isEntry(name)) throw new Error(`${file} starts ${name}.ts, which release/bundle.ts does not list`);
        return `${name}.js`;
      };
      return {
        code: code
          .replace(ways.url, (_, name: string) => `new URL("./${entry(name)}", import.meta.url)`)
          .replace(ways.file, (_, path: string) => {
            const place = path.endsWith(".ts") ? entry(basename(path, ".ts")) : join(dirname(file), path);
            return `join(import.meta.dirname, ${JSON.stringify(place)})`;
          }),
      };
    },
  },
};

/** Modules that are different in a release. */
const replacements = (commit: string): Plugin => ({
  name: "replacements",
  load(id) {
    switch (relative(root, id)) {
      case "server/src/domain/organization/releases/commit.ts":
        return `export const commit = ${JSON.stringify(commit)};`;
      case "web/build.ts": // `skein dev` builds the web client if it has to; a release contains it
        return "export const isStale = async () => false; export const buildWebClient = async () => {};";
      default:
        return null;
    }
  },
});

/** Writes the bundle and the files it reads to `lib`, and returns the folders of all bundled packages. */
export async function bundle(lib: string, commit: string): Promise<Set<string>> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [basename(entry, ".ts"), entry])),
    platform: "node",
    external: isUnbundled,
    plugins: [paths, replacements(commit)],
    onLog: (level, log) => {
      // Libraries that generate code use eval. Any other warning is about something that would fail later.
      if (level === "warn" && log.code !== "EVAL") throw new Error(log.message);
    },
  });
  try {
    const { output } = await build.write({
      dir: lib,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // Documentation makes starts slower. Licenses stay.
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    await writeFile(join(lib, "package.json"), '{ "type": "module" }\n');
    for (const folder of data) {
      await mkdir(dirname(join(lib, folder)), { recursive: true });
      await cp(join(root, folder), join(lib, folder), { recursive: true, filter: (path) => !path.endsWith(".ts") });
    }
    return packagesOf(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
  } finally {
    await build.close();
  }
}

/** The folders of the packages that modules belong to, as package-lock.json has them. */
function packagesOf(modules: string[]): Set<string> {
  const folders = modules.map((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(root, id))?.[0]);
  return new Set(folders.filter((folder) => folder !== undefined));
}
