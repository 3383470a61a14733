/**
 * Generates clients from the OpenAPI document with two common generators, compiles a program for each, and runs it against
 * the demo organization: `npm run test:generators`. The generators come from the registry into a temporary folder; nothing
 * is added to what they generate.
 */
import { execFile, spawn } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { demoNow, startDemo } from "../server/test/reference/demo-process.ts";

interface Generator {
  name: string;
  packages: string[];
  /** The command that generates the client, from openapi.json in its folder. */
  command: string[];
}

const generators: Generator[] = [
  {
    name: "openapi-fetch",
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"],
    command: ["openapi-typescript", "openapi.json", "-o", "schema.d.ts"],
  },
  {
    name: "hey-api",
    packages: ["@hey-api/openapi-ts@0.95.0"],
    command: ["openapi-ts", "-i", "openapi.json", "-o", "generated"],
  },
];
const minCalls = 20;

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

async function tryGenerator({ name, packages, command }: Generator, environment: NodeJS.ProcessEnv): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "skein-generated-"));
  const bin = join(folder, "node_modules/.bin");
  try {
    await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
    await copyFile(join(root, "api/openapi.json"), join(folder, "openapi.json"));
    await copyFile(join(import.meta.dirname, `generators/${name}.txt`), join(folder, "program.ts"));
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "typescript@5", "@types/node@24"];
    await run("npm", [...install, ...packages], { cwd: folder });
    const [generate = "", ...args] = command;
    await run(join(bin, generate), args, { cwd: folder });
    const options = ["--module", "esnext", "--target", "es2022", "--moduleResolution", "bundler", "--skipLibCheck"];
    await run(join(bin, "tsc"), ["--strict", "--noEmit", "--types", "node", ...options, "program.ts"], {
      cwd: folder,
    }).catch((error: { stdout: string }) => {
      throw new Error(`the program with ${name} does not compile:\n${error.stdout}`);
    });
    const bundle = await rolldown({ input: join(folder, "program.ts"), platform: "node", logLevel: "silent" });
    await bundle.write({ file: join(folder, "program.mjs"), format: "esm" });
    const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: folder, env: environment });
    const calls = Number(stdout);
    if (!(calls >= minCalls)) throw new Error(`${name} made ${stdout.trim()} calls instead of ${minCalls} or more`);
    console.log(`${name}: ${calls} calls`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

await using demo = await startDemo(spawn, demoNow);
const environment = { PATH: process.env["PATH"], SITE: demo.url, EMAIL: demo.owner.email, KEY: demo.owner.api_key };
for (const generator of generators) await tryGenerator(generator, environment);
