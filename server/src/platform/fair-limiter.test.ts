import { expect, test } from "vitest";
import { FairLimiter, QueueFull } from "./fair-limiter.ts";

/** Work that the test ends explicitly, and the order in which it began. */
function controlled(turns: FairLimiter) {
  const begun: string[] = [];
  const running: (() => void)[] = [];
  const ask = (who: string, what: string) =>
    turns.take(who, async () => {
      begun.push(what);
      await new Promise<void>((end) => running.push(end));
    });
  const endOne = async () => {
    running.shift()?.();
    await new Promise((resume) => setImmediate(resume));
  };
  return { begun, ask, endOne };
}

test("one user's many requests do not delay the first request of others", async () => {
  const { begun, ask, endOne } = controlled(
    new FairLimiter({ concurrency: 1, maxWaitingPerOwner: 10, maxWaiting: 100 }),
  );
  const asked = [...["a1", "a2", "a3", "a4"].map((what) => ask("a", what)), ask("b", "b1"), ask("c", "c1")];

  for (let n = 0; n < 6; n++) await endOne();
  await Promise.all(asked);

  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "a4"]);
});

test("the concurrency limit holds, and failed work frees its place", async () => {
  const turns = new FairLimiter({ concurrency: 2, maxWaitingPerOwner: 50, maxWaiting: 100 });
  let [running, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise((resume) => setImmediate(resume));
    running--;
    throw new Error("broken");
  };

  const ended = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => turns.take(String(n % 3), work)));

  expect(ended.every(({ status }) => status === "rejected")).toBe(true);
  expect(most).toBe(2);
  expect(await turns.take("a", async () => "next")).toBe("next");
});

test("too much waiting work, of one owner or in total, is rejected at once", async () => {
  const { ask, endOne } = controlled(new FairLimiter({ concurrency: 1, maxWaitingPerOwner: 2, maxWaiting: 3 }));
  const asked = [ask("a", "a1"), ask("a", "a2"), ask("a", "a3")];

  await expect(ask("a", "a4")).rejects.toThrow(QueueFull);
  asked.push(ask("b", "b1"));
  await expect(ask("c", "c1")).rejects.toThrow(QueueFull);

  for (let n = 0; n < 4; n++) await endOne();
  await Promise.all(asked);
});
