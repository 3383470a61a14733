/**
 * Keeps a long import small. V8 lets garbage grow with the memory of the machine, and does not know that the database's
 * answers and the files it reads are held outside of its heap.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const enoughBytes = 200 * 1024 ** 2;
const millisecondsBetween = 1000;

/** Call often: collects garbage if the process has become large, but not all the time. */
export function smallMemory(): () => void {
  const collect = globalThis.gc ?? exposeCollector();
  let last = 0;
  return () => {
    const now = performance.now();
    if (now - last < millisecondsBetween || process.memoryUsage.rss() < enoughBytes) return;
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
    last = performance.now();
  };
}

function exposeCollector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as NonNullable<typeof globalThis.gc>; // what the flag adds to new contexts
}
