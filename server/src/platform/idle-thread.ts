/**
 * A thread for work that takes much memory or time: it starts with the first request, does one after the other, and ends
 * when it has been idle for a while.
 */
import { parentPort, type Worker } from "node:worker_threads";

interface Asked {
  id: number;
  request: unknown;
}
type Done = { id: number; answer: unknown } | { id: number; problem: string };
/** The thread's first message: it is loaded. */
const loaded = "loaded";

interface Running {
  worker: Worker;
  isLoaded: PromiseWithResolvers<void>;
}

/** The work has failed in the thread, or has taken too long. */
export class ThreadProblem extends Error {
  override name = "ThreadProblem";
}

const idleMilliseconds = 60_000;

export class IdleThread<Request, Answer> {
  readonly #start: () => Worker;
  readonly #timeoutMilliseconds: number | undefined;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #thread: Running | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** A thread that does not answer in time, once it is loaded, is terminated, with all that waits for it. */
  constructor(start: () => Worker, { timeoutMilliseconds }: { timeoutMilliseconds?: number } = {}) {
    this.#start = start;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  async ask(request: Request): Promise<Answer> {
    clearTimeout(this.#idle);
    const response = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#pending.set(id, response);
    const thread = (this.#thread ??= this.#started());
    thread.worker.ref();
    let late: NodeJS.Timeout | undefined;
    try {
      await Promise.race([thread.isLoaded.promise, response.promise]);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.worker.postMessage({ id, request } satisfies Asked);
      if (this.#timeoutMilliseconds !== undefined)
        late = setTimeout(() => this.#fail(thread, new ThreadProblem("it took too long")), this.#timeoutMilliseconds);
      return (await response.promise) as Answer; // serveThread() has the same types
    } finally {
      clearTimeout(late);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#stopWhenIdle();
    }
  }

  /** An idle thread does not keep the process alive, and is terminated after a while. */
  #stopWhenIdle(): void {
    this.#thread?.worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      void this.#thread?.worker.terminate();
      this.#thread = undefined;
    }, idleMilliseconds).unref();
  }

  #started(): Running {
    const thread: Running = { worker: this.#start(), isLoaded: Promise.withResolvers() };
    thread.worker.on("message", (message: Done | typeof loaded) => {
      if (message === loaded) return thread.isLoaded.resolve();
      const response = this.#pending.get(message.id);
      if ("problem" in message) response?.reject(new ThreadProblem(message.problem));
      else response?.resolve(message.answer);
    });
    thread.worker.on("error", (error) => this.#fail(thread, error));
    return thread;
  }

  /** The next request starts another thread. */
  #fail(thread: Running, error: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    void thread.worker.terminate();
    for (const { reject } of this.#pending.values()) reject(error);
  }
}

/** For the thread itself: answers each request; what is thrown becomes a ThreadProblem. */
export function serveThread(answer: (request: never) => unknown): void {
  const reply = (message: Done | typeof loaded): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(message);
  };
  parentPort?.on("message", ({ id, request }: Asked) => {
    // The IdleThread that starts it has the same types.
    Promise.try(() => answer(request as never)).then(
      (given) => reply({ id, answer: given }),
      (error: unknown) => reply({ id, problem: error instanceof Error ? error.message : "unknown" }),
    );
  });
  reply(loaded);
}
