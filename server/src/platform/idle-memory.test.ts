import { expect, test } from "vitest";
import { IdleMemory } from "./idle-memory.ts";

test("garbage is collected once when a process becomes idle, and not while it works", () => {
  let [busy, collections] = [0.5, 0];
  const memory = new IdleMemory({
    collect: () => void collections++,
    utilization: () => ({ idle: 0, active: 0, utilization: busy }),
  });
  const look = (share: number) => {
    busy = share;
    memory.look();
    return collections;
  };

  expect([look(0.5), look(0.1), look(0.01), look(0.01)]).toEqual([0, 0, 1, 1]);
  expect([look(0.1), look(0.01), look(0.3), look(0.01)]).toEqual([1, 1, 1, 2]);
});
