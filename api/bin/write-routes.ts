/**
 * Writes what clients that bring no schemas know of each endpoint: a file in src/routes/ for each file of declarations, so that a
 * client loads only what it uses, and src/routes.ts with all of them.
 */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { listRoutes, type NamedRoute } from "./routes.ts";

const source = new URL("../src/", import.meta.url);
const head = "/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */";

const toText = ({ name, method, path, texts }: NamedRoute): string =>
  `export const ${name}: Route<typeof declared.${name}> = ${JSON.stringify({ method, path, texts })};`;

const files = Map.groupBy(await listRoutes(), ({ file }) => file);
const folder = new URL("routes/", source);
await mkdir(folder, { recursive: true });
for (const file of await readdir(folder)) if (!files.has(file)) await rm(new URL(file, folder));
for (const [file, routes] of files)
  await writeFile(
    new URL(file, folder),
    [
      head,
      `import type * as declared from "../${file}";`,
      'import type { Route } from "../route.ts";',
      "",
      ...routes.map(toText),
      "",
    ].join("\n"),
  );
await writeFile(
  new URL("routes.ts", source),
  [head, ...[...files.keys()].map((file) => `export * from "./routes/${file}";`), ""].join("\n"),
);
