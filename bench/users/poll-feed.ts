import { pollRequest } from "../request.ts";
import { pauseAfterFailure, type Feed, type Subscriber } from "./feed.ts";
import { Line, type Answer } from "./line.ts";
import { scanEvents } from "./scan.ts";

/** Reads events by requests that wait, one after another on the same connection. */
export class PollFeed implements Feed {
  readonly #subscriber: Subscriber;
  #line: Line | undefined;
  #closed = { read: 0, written: 0 };
  #isOver = false;
  silentSince = 0;

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber;
    this.#read();
  }

  get bytes(): { read: number; written: number } {
    const { read = 0, written = 0 } = this.#line?.bytes ?? {};
    return { read: this.#closed.read + read, written: this.#closed.written + written };
  }

  restart(): void {
    this.#hangUp();
    this.#failed(0, "begun again");
  }

  close(): void {
    this.#isOver = true;
    this.#hangUp();
  }

  #hangUp(): void {
    this.#closed = this.bytes;
    this.#line?.close();
    this.#line = undefined;
  }

  #read(): void {
    const { host, port, account, queueId, position } = this.#subscriber;
    let line = this.#line;
    if (!line || line.isClosed) {
      this.#closed = this.bytes;
      line = new Line(host, port, true);
      this.#line = line;
    }
    const asked = line;
    this.silentSince = performance.now();
    asked.ask(pollRequest(account, queueId, position()), (answer) => this.#take(asked, answer));
  }

  #take(line: Line, { status, text, at }: Answer): void {
    if (this.#line !== line) return; // it was given up
    if (status === 200) {
      this.#subscriber.onEvents(scanEvents(text), at);
      if (this.#line === line) this.#read();
    } else if (status === 400) {
      this.close();
      this.#subscriber.onGone(text);
    } else this.#failed(status, text);
  }

  #failed(status: number, text: string): void {
    this.silentSince = Infinity;
    this.#subscriber.onFailure(status, text);
    setTimeout(() => {
      if (!this.#isOver) this.#read();
    }, pauseAfterFailure);
  }
}
