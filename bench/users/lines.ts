/** Connections for everything but waiting reads, shared by all users as behind a reverse proxy: one more when all are busy. */
import { Line, type Answer } from "./line.ts";

const most = 4000;
export const timeoutMilliseconds = 10_000;

interface Request {
  line: Line;
  since: number;
  end: (answer: Answer) => void;
}

export class Lines {
  readonly #nodes: { host: string; port: number; idle: Line[] }[];
  readonly #inFlight = new Set<Request>();
  #turn = 0;
  #open = 0;

  constructor(urls: readonly string[]) {
    this.#nodes = urls.map((url) => {
      const { hostname, port } = new URL(url);
      return { host: hostname, port: Number(port), idle: [] };
    });
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** The nodes take turns. Status 0 stands for no response. */
  ask(request: Buffer | string): Promise<Answer> {
    const node = this.#nodes[this.#turn++ % this.#nodes.length];
    if (!node) throw new Error("there is a node");
    let line = node.idle.pop();
    while (line?.isClosed) {
      this.#open--;
      line = node.idle.pop();
    }
    if (!line && this.#open >= most) return Promise.resolve({ status: 0, text: "", at: performance.now() });
    if (!line) {
      line = new Line(node.host, node.port, false);
      this.#open++;
    }
    return this.#askOn(line, node.idle, request);
  }

  #askOn(line: Line, idle: Line[], request: Buffer | string): Promise<Answer> {
    return new Promise((resolve) => {
      const flight: Request = {
        line,
        since: performance.now(),
        end: (answer) => {
          this.#inFlight.delete(flight);
          if (line.isClosed) this.#open--;
          else idle.push(line);
          resolve(answer);
        },
      };
      this.#inFlight.add(flight);
      line.ask(request, flight.end);
    });
  }

  /** Gives up requests that take too long. */
  giveUp(now: number): void {
    for (const { line, since, end } of this.#inFlight) {
      if (now - since < timeoutMilliseconds) continue;
      line.close();
      end({ status: 0, text: "", at: now });
    }
  }

  close(): void {
    for (const { line } of this.#inFlight) line.close();
    for (const { idle } of this.#nodes) for (const line of idle) line.close();
  }
}
