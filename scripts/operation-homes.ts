/** The server folder that binds each operation, and has its tests. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./test-marks.ts";

/** By method and path. */
export function operationHomes(): Map<string, string> {
  const sources = globSync("server/src/{domain,events}/**/*.ts", { cwd: root });
  const bindings = sources
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => ({
      folder: dirname(file),
      text: readFileSync(join(root, file), "utf8"),
    }));
  const declared = globSync("api/src/*.ts", { cwd: root }).flatMap((file) => [
    ...readFileSync(join(root, file), "utf8").matchAll(
      /^export const (\w+) = endpoint\(\{\s+operation: "[^"]+",\s+method: "(\w+)",\s+path: "([^"]+)"/gm,
    ),
  ]);
  return new Map(
    declared.flatMap(([, name = "", method = "", path = ""]) => {
      const home = bindings.find(({ text }) => new RegExp(`\\bhandle\\w*\\(\\s*(api\\.)?${name}\\b`).test(text));
      return home ? [[`${method} ${path}`, `${home.folder}/`]] : [];
    }),
  );
}
