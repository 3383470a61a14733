#!/usr/bin/env node
// Starts the command line under a Node that runs TypeScript as it stands. An older Node (the machine's own, when
// `skein` is called by its path rather than through npx) runs the one that came with the dependencies, and stands in for
// it: signals are passed on, the exit code is the same, and neither outlives the other.
import { spawn } from "node:child_process";
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
  // The channel closes when this process dies, however it dies; commands that run until they are told to stop then stop.
  const child = spawn(node, [import.meta.filename ?? process.argv[1], ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const forwarded = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"];
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  // A parent that started this process with a channel of its own is told what the child says.
  if (process.send) child.on("message", (message) => process.send(message));
  process.on("disconnect", () => child.disconnect());
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    for (const each of forwarded) process.removeAllListeners(each);
    if (signal !== null) process.kill(process.pid, signal);
    process.exit(code ?? 1);
  });
}
