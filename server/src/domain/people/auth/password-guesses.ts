/**
 * Estimates with zxcvbn how many guesses a password withstands, as the protocol asks. Its dictionaries take half a second
 * to load and 70 MB, and a malicious password takes it a tenth of a second. So it runs in its own thread, which starts
 * with the first password and ends when it has been idle for a while.
 */
import { Worker } from "node:worker_threads";

export interface EstimateRequest {
  id: number;
  password: string;
  ownNames: string[];
}

export interface Estimate {
  id: number;
  guesses: number;
}

/** The work grows faster than the length, so of a longer password only the beginning and the end are estimated. */
const maxCharacters = 40;
const idleMilliseconds = 60_000;

const pending = new Map<number, PromiseWithResolvers<number>>();
let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let lastId = 0;

/** The whole password is at least as hard to guess as any part of it. */
export async function countGuesses(password: string, ownNames: string[]): Promise<number> {
  const beginning = await estimate(password.slice(0, maxCharacters), ownNames);
  if (password.length <= maxCharacters) return beginning;
  return Math.max(beginning, await estimate(password.slice(-maxCharacters), ownNames));
}

async function estimate(password: string, ownNames: string[]): Promise<number> {
  clearTimeout(idle);
  const response = Promise.withResolvers<number>();
  const id = ++lastId;
  pending.set(id, response);
  thread ??= startThread();
  thread.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  thread.postMessage({ id, password, ownNames } satisfies EstimateRequest);
  try {
    return await response.promise;
  } finally {
    pending.delete(id);
    if (pending.size === 0) stopWhenIdle();
  }
}

/** An idle thread does not keep the process alive, and is terminated after a while. */
function stopWhenIdle(): void {
  thread?.unref();
  clearTimeout(idle);
  idle = setTimeout(() => {
    void thread?.terminate();
    thread = undefined;
  }, idleMilliseconds).unref();
}

function startThread(): Worker {
  const started = new Worker(new URL("./guesses-thread.ts", import.meta.url));
  started.on("message", ({ id, guesses }: Estimate) => pending.get(id)?.resolve(guesses));
  started.on("error", (error) => {
    if (thread === started) thread = undefined; // the next password starts another
    for (const { reject } of pending.values()) reject(error);
  });
  return started;
}
