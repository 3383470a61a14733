/** Which folder of the server an operation is bound in: its own tests lie there. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./test-marks.ts";

/** By method and path. */
export function operationHomes(): Map<string, string> {
  const bindings = globSync("server/src/**/*endpoints.ts", { cwd: root }).map((file) => ({
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
