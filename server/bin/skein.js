#!/usr/bin/env node
// Starts the command line under a Node that runs TypeScript as it stands. An older Node (the machine's own, when
// `skein` is called by its path rather than through npx) hands over to the one that came with the dependencies.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const major = Number(process.versions.node.split(".")[0]);
if (major >= 24) {
  await import("../src/cli/main.ts");
} else {
  const require = createRequire(import.meta.url);
  let node;
  try {
    node = join(dirname(require.resolve("node/package.json")), "bin", "node");
  } catch {
    console.error(
      `skein needs Node 24 or newer; this is ${process.version}. Run it with \`npx skein\` after \`npm ci\`.`,
    );
    process.exit(1);
  }
  const child = spawnSync(node, [import.meta.filename ?? process.argv[1], ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  process.exit(child.status ?? 1);
}
