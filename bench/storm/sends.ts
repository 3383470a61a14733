/** Somebody who writes at a steady rate, and tries again at the next node until it succeeds. */
import { setTimeout as delay } from "node:timers/promises";
import { messageText, sendRequest, type Account, type Place } from "../request.ts";
import { Line, type Answer } from "../users/line.ts";

const sendsPerSecond = 20;
const retryMilliseconds = 100;

export interface Sent {
  /** By `Date.now()`. */
  due: number;
  /** From then on, with all attempts. */
  milliseconds: number;
}

export class Writer {
  readonly #request: Buffer;
  readonly #nodes: { host: string; port: number; idle: Line[] }[];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #sent: Sent[] = [];
  #isOver = false;
  #node = 0;
  #running: Promise<void>;

  /** The nodes in the order in which they are tried. */
  constructor(urls: readonly string[], sender: Account, place: Place) {
    this.#request = sendRequest(sender, place, messageText);
    this.#nodes = urls.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port), idle: [] }));
    this.#running = this.#run();
  }

  /** Those that were due since then; waits for those in flight. */
  async since(time: number): Promise<Sent[]> {
    await Promise.all(this.#inFlight);
    return this.#sent.filter(({ due }) => due >= time);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#inFlight);
    for (const { idle } of this.#nodes) for (const line of idle) line.close();
  }

  async #run(): Promise<void> {
    for (let due = Date.now(); !this.#isOver; due += 1000 / sendsPerSecond) {
      await delay(Math.max(0, due - Date.now()));
      const sending = this.#send(due).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
  }

  async #send(due: number): Promise<void> {
    while (!this.#isOver) {
      const node = this.#nodes[this.#node % this.#nodes.length];
      if (!node) throw new Error("there is a node");
      let line = node.idle.pop();
      while (line?.isClosed) line = node.idle.pop();
      const used = line ?? new Line(node.host, node.port, false);
      const { status } = await new Promise<Answer>((resolve) => used.ask(this.#request, resolve));
      if (!used.isClosed) node.idle.push(used);
      if (status === 200) {
        this.#sent.push({ due, milliseconds: Date.now() - due });
        return;
      }
      this.#node++;
      await delay(retryMilliseconds);
    }
  }
}
