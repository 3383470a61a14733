/** COPY from one database into another, through this process. Nothing but a few megabytes is held in memory. */
import type pg from "pg";

const batchBytes = 2 * 1024 * 1024;
/** So many batches may wait before the source has to. */
const maxWaiting = 4;

interface Wire {
  query: (text: string) => void;
  sendCopyFromChunk: (chunk: Buffer) => void;
  endCopyFrom: () => void;
  stream: { pause: () => void; resume: () => void };
}

/** What the driver calls on whatever runs at the moment. */
abstract class CopyStatement {
  readonly #text: string;
  readonly #end = Promise.withResolvers<void>();
  #error: Error | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#end.promise.catch(() => undefined); // whoever awaits `ended` sees it
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  submit(wire: Wire): void {
    wire.query(this.#text);
  }

  handleError(error: Error): void {
    this.#error ??= error;
    // A lost connection sends nothing more.
    this.finish(error);
  }

  handleReadyForQuery(): void {
    this.finish(this.#error);
  }

  finish(error: Error | undefined): void {
    if (error) this.#end.reject(error);
    else this.#end.resolve();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCommandComplete(): void {}
  handleParseComplete(): void {}
}

export interface Batch {
  bytes: Buffer;
  rows: number;
}

/** PostgreSQL sends one message for each row. */
class CopyOut extends CopyStatement {
  #rows: Buffer[] = [];
  #size = 0;
  #waiting: Batch[] = [];
  #wire: Wire | undefined;
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire): void {
    this.#wire = wire;
    this.#rows.push(Buffer.from(chunk)); // a copy: the driver uses its buffer again
    this.#size += chunk.length;
    if (this.#size >= batchBytes) this.#flush();
  }

  override finish(error: Error | undefined): void {
    this.#flush();
    this.#isOver = true;
    super.finish(error);
    this.#wake.resolve();
  }

  #flush(): void {
    if (this.#rows.length === 0) return;
    this.#waiting.push({ bytes: Buffer.concat(this.#rows), rows: this.#rows.length });
    [this.#rows, this.#size] = [[], 0];
    if (this.#waiting.length >= maxWaiting) this.#wire?.stream.pause();
    this.#wake.resolve();
  }

  async *batches(): AsyncGenerator<Batch> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        if (this.#waiting.length < maxWaiting) this.#wire?.stream.resume();
        yield next;
      } else if (this.#isOver) {
        await this.ended;
        return;
      } else {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
    }
  }
}

class CopyIn extends CopyStatement {
  readonly #bytes: Buffer;

  constructor(text: string, bytes: Buffer) {
    super(text);
    this.#bytes = bytes;
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFromChunk(this.#bytes);
    wire.endCopyFrom();
  }
}

const run = (client: pg.Client, statement: CopyStatement) => client.query(statement as unknown as pg.Submittable); // which the driver's types describe only in part

/** Copies what `query` returns into these columns of the other database; `onRows` is called with each part's number of rows. */
export async function copyRows(
  from: { client: pg.Client; query: string },
  to: { client: pg.Client; table: string; columns: readonly string[] },
  onRows: (rows: number) => void = () => undefined,
): Promise<number> {
  const out = new CopyOut(`copy (${from.query}) to stdout`);
  run(from.client, out);
  let total = 0;
  for await (const { bytes, rows } of out.batches()) {
    const statement = new CopyIn(`copy ${to.table} (${to.columns.join(", ")}) from stdin`, bytes);
    run(to.client, statement);
    await statement.ended;
    total += rows;
    onRows(rows);
  }
  return total;
}
