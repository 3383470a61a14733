/** Checks compose.yaml and deploy/. scripts/test-deployment installs what this needs, and runs it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { breakEverything } from "./broken.ts";
import { checkChart } from "./chart.ts";
import { checkCompose } from "./compose.ts";
import { checkKustomize } from "./kustomize.ts";
import { checkQuadlet } from "./quadlet.ts";

const { values } = parseArgs({ options: { broken: { type: "boolean", default: false } } });
const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };

const checks = { compose: checkCompose, kustomize: checkKustomize, chart: checkChart, quadlet: checkQuadlet };
for (const [name, check] of Object.entries(checks)) {
  const start = performance.now();
  try {
    await check(root, version);
  } catch (error) {
    const { message, stderr = "" } = error as Error & { stderr?: string };
    console.error(`${name}: ${message}\n${stderr}`);
    process.exit(1);
  }
  console.log(`${name}: passed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
if (values.broken) await breakEverything(root, version, checks);
