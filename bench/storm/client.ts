/** A client that stays connected whatever happens: it reads its queue, changes to the next node, registers again, and waits when told to. */
import { constants, gunzipSync } from "node:zlib";
import { pollRequest, type Account } from "../request.ts";
import { Line, type Answer } from "../users/line.ts";
import { readQueue, registerRequest } from "../users/registration.ts";
import { scanEvents } from "../users/scan.ts";

const firstPause = 250;
const longestPause = 8000;

/** What all clients of a process have seen. */
export interface Tally {
  clients: number;
  live: number;
  /** Of them, those who are connected to the first node. */
  liveOnFirst: number;
  /** Times a client was no longer live. */
  lost: number;
  registrations: number;
  refusals: number;
  /** When the last client became live, by `Date.now()`. */
  liveAt: number;
}

export class Client {
  readonly #account: Account;
  readonly #nodes: readonly { host: string; port: number }[];
  readonly #tally: Tally;
  /** Whoever registers is sent to the nodes in turn, as by a load balancer. */
  #node: number;
  readonly #share: number;
  #hasArrived = false;
  #line: Line | undefined;
  #queue: { id: string; lastEventId: number } | undefined;
  #isLive = false;
  #failures = 0;

  constructor(account: Account, nodes: readonly { host: string; port: number }[], share: number, tally: Tally) {
    this.#share = share;
    this.#node = share;
    this.#account = account;
    this.#nodes = nodes;
    this.#tally = tally;
  }

  run(): void {
    const { host, port } = this.#nodes[this.#node % this.#nodes.length] ?? { host: "", port: 0 };
    if (!this.#line || this.#line.isClosed) this.#line = new Line(host, port, true);
    const queue = this.#queue;
    if (queue)
      this.#line.ask(pollRequest(this.#account, queue.id, queue.lastEventId, !this.#isLive), (answer) =>
        this.#takeEvents(answer, queue),
      );
    else this.#line.ask(compressed(registerRequest(this.#account)), (answer) => this.#takeRegistration(answer));
  }

  get #isOnFirst(): boolean {
    return this.#node % this.#nodes.length === 0;
  }

  #takeEvents(answer: Answer, queue: { id: string; lastEventId: number }): void {
    if (answer.status !== 200) {
      this.#lose();
      if (answer.text.includes("BAD_EVENT_QUEUE_ID")) this.#queue = undefined;
      this.#comeBack(answer);
      return;
    }
    queue.lastEventId = Math.max(queue.lastEventId, scanEvents(answer.text).eventIds.at(-1) ?? -1);
    this.#failures = 0;
    if (!this.#isLive) {
      this.#isLive = true;
      this.#tally.live++;
      if (this.#isOnFirst) this.#tally.liveOnFirst++;
      this.#tally.liveAt = Date.now();
    }
    this.run();
  }

  #takeRegistration(answer: Answer): void {
    const queue = readQueue({ status: answer.status, text: beginningOf(answer.text) });
    if (!queue) {
      this.#comeBack(answer);
      return;
    }
    this.#tally.registrations++;
    this.#queue = queue;
    if (!this.#hasArrived) this.#goToFirst();
    this.#hasArrived = true;
    this.run();
  }

  /** At first all are on one node, which the first storm kills. */
  #goToFirst(): void {
    if (this.#isOnFirst) return;
    this.#node = 0;
    this.#line?.close();
  }

  #lose(): void {
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#tally.live--;
    if (this.#isOnFirst) this.#tally.liveOnFirst--;
    this.#tally.lost++;
  }

  /** As our clients do: not before the server asks for, with growing pauses that are never twice the same. */
  #comeBack({ status, text }: Answer): void {
    const retryAfter = Number(/"retry-after":([\d.]+)/.exec(text)?.[1] ?? 0) * 1000;
    if (status === 429) this.#tally.refusals++;
    else if (status === 0 || status >= 500) this.#node++;
    const isLost = status === 400;
    const most = isLost ? firstPause : Math.min(longestPause, firstPause * 2 ** this.#failures++);
    if (isLost) this.#node = this.#share;
    if (status === 0 || isLost) this.#line?.close();
    setTimeout(() => this.run(), retryAfter + most * (0.5 + Math.random() / 2));
  }
}

/** Browsers accept compressed responses. */
const compressed = (request: Buffer): Buffer =>
  Buffer.from(request.toString("latin1").replace("\r\n", "\r\nAccept-Encoding: gzip\r\n"), "latin1");

/** The queue comes first in the response, so its beginning is enough. */
function beginningOf(text: string): string {
  if (!text.startsWith("\x1f\x8b")) return text;
  const bytes = Buffer.from(text.slice(0, 4096), "latin1");
  return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1");
}
