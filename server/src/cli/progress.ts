import { setTimeout as wait } from "node:timers/promises";

const pollMilliseconds = 200;

/** Asks until there is a result. A changed progress text is printed to standard error, so that it is not part of the result. */
export async function untilDone<T>(ask: () => Promise<{ done?: T; progress: string }>): Promise<T> {
  for (let shown = ""; ; await wait(pollMilliseconds)) {
    const { done, progress } = await ask();
    if (progress !== shown) process.stderr.write(`${progress}\n`);
    shown = progress;
    if (done !== undefined) return done;
  }
}
