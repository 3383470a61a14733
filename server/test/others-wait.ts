/**
 * Measures how long other requests wait while one is served, which is how long it blocks the node. Compare the result with
 * a harmless request of the same size, since on a busy machine both are slow.
 */
import { request } from "node:http";

export interface Attack {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface Served {
  status: number;
  text: string;
  /** The longest time that another request waited meanwhile, in milliseconds. */
  waited: number;
}

/** Sends requests that fetch() would reject. */
export async function send(url: string, { method = "GET", path, headers = {}, body }: Attack) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function serveWhileOthersAsk(url: string, attack: Attack): Promise<Served> {
  let waited = 0;
  let isOver = false;
  const others = (async () => {
    do {
      const begun = performance.now();
      await send(url, { path: "/health/live" });
      waited = Math.max(waited, performance.now() - begun);
    } while (!isOver);
  })();
  const answer = await send(url, attack).finally(() => (isOver = true));
  await others;
  return { ...answer, waited };
}

const fewestRounds = 3;
const mostRounds = 12;

/**
 * Returns the round in which others waited the least. What the request itself costs is part of every round, and the rest
 * of a busy machine is not, so rounds go on while others wait longer than `acceptable`.
 */
export async function othersWait(url: string, attack: Attack, acceptable = Infinity): Promise<Served> {
  let best = await serveWhileOthersAsk(url, attack);
  for (let round = 1; round < (best.waited < acceptable ? fewestRounds : mostRounds); round++) {
    const next = await serveWhileOthersAsk(url, attack);
    if (next.waited < best.waited) best = next;
  }
  return best;
}

/** The longest acceptable wait, given the wait for a harmless request of the same size. */
export const acceptableWait = (quiet: Served): number => 5 * quiet.waited + 100;
