/** Compiles all TypeScript programs of the reference against the built package, as strictly as a user might. */
import { spawnSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { examples } from "@skein/api/examples/all.ts";
import type { RouteName } from "@skein/api/examples/example.ts";
import { declarations } from "@skein/api/examples/operations.ts";
import { typescriptProgram } from "@skein/api/examples/typescript.ts";
import { guides } from "../../src/http/reference/guides.ts";
import { renderReference } from "../../src/http/reference/site.ts";
import { blocksIn } from "./printed.ts";
import { programFolder } from "./run-programs.ts";

const root = join(import.meta.dirname, "../../..");
const names = Object.keys(examples) as RouteName[]; // its only keys
const site = "https://chat.example.com";
const limits = { requestsPerMinute: 200, eventReadsPerMinute: 3000, addressRequestsPerMinute: 100 };

// Without an import or export, a file would not be a module.
const asModule = (program: string): string => `${program}\nexport {};\n`;

const programs = new Map(
  names.map((name) => [declarations[name].operation, asModule(typescriptProgram(name, examples[name], site))]),
);
for (const { slug } of guides) {
  const { html } = await renderReference({ path: `/api/docs/${slug}`, query: undefined, site, limits });
  for (const { language, code } of blocksIn(html))
    if (language === "typescript") programs.set(`guide-${slug}`, asModule(code));
}

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
