/**
 * Keeps a long import small. V8 lets garbage grow with the memory of the machine, does not know that the database's answers and
 * the files it reads are held outside of its heap, and gives short-lived objects up to 128 MiB if there are many of them.
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const garbageBytes = 48 * 1024 ** 2;
/** With less room for short-lived objects, collecting them takes much of the time. */
const youngBytes = 32 * 1024 ** 2;

export interface SmallMemory {
  /** Call often: collects garbage whenever much of it may have gathered since the last time. */
  keep: () => void;
  /** Afterwards, V8 decides alone again. */
  end: () => void;
}

export function smallMemory(): SmallMemory {
  const collect = globalThis.gc ?? exposeCollector();
  // The only kind of collection that takes room away from short-lived objects.
  if (youngRoom() > youngBytes) collect({ type: "major", execution: "sync", flavor: "last-resort" });
  let kept = heldBytes();
  let grows = true;
  const letGrow = (wanted: boolean): void => {
    if (wanted !== grows) setFlagsFromString(`--semi-space-growth-factor=${wanted ? 2 : 1}`);
    grows = wanted;
  };
  return {
    keep: () => {
      letGrow(youngRoom() < youngBytes);
      const held = heldBytes();
      if (held - kept > garbageBytes) {
        collect({ type: "major", execution: "sync" });
        kept = heldBytes();
      } else kept = Math.min(kept, held);
    },
    end: () => letGrow(true),
  };
}

const youngRoom = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;

function heldBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function exposeCollector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as NonNullable<typeof globalThis.gc>; // what the flag adds to new contexts
}
