/** Compiles all TypeScript programs of the reference against the built package, as strictly as a user might. */
import { spawnSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { examples } from "@skein/api/examples/all.ts";
import type { RouteName } from "@skein/api/examples/example.ts";
import { declarations } from "@skein/api/examples/operations.ts";
import { typescriptProgram } from "@skein/api/examples/typescript.ts";
import { programFolder } from "./run-programs.ts";

const root = join(import.meta.dirname, "../../..");
const names = Object.keys(examples) as RouteName[]; // its only keys
const programs = new Map(
  names.map((name) => [
    declarations[name].operation,
    // Without an import or export, a file would not be a module.
    `${typescriptProgram(name, examples[name], "https://chat.example.com")}\nexport {};\n`,
  ]),
);

const folder = await programFolder(programs);
try {
  const options = { strict: true, noEmit: true, target: "esnext", module: "nodenext", skipLibCheck: true };
  const typeRoots = [join(root, "node_modules/@types")];
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, typeRoots, types: ["node"] }, include: ["*.ts"] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
  console.log(status === 0 ? `${programs.size} programs compile` : "some programs do not compile");
  process.exitCode = status ?? 1;
} finally {
  await rm(folder, { recursive: true });
}
