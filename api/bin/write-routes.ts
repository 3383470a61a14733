/** Writes src/routes.ts: what clients that bring no schemas know of each endpoint. */
import { writeFile } from "node:fs/promises";
import { listRoutes, type NamedRoute } from "./routes.ts";

const moduleName = (file: string): string =>
  file.replace(".ts", "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const toText = ({ name, file, method, path, texts }: NamedRoute): string =>
  `export const ${name}: Route<typeof ${moduleName(file)}.${name}> = ${JSON.stringify({ method, path, texts })};`;

const routes = await listRoutes();
const files = [...new Set(routes.map(({ file }) => file))];
const text = [
  "/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */",
  ...files.map((file) => `import type * as ${moduleName(file)} from "./${file}";`),
  'import type { Route } from "./route.ts";',
  "",
  ...routes.map(toText),
  "",
];
await writeFile(new URL("../src/routes.ts", import.meta.url), text.join("\n"));
