/** Text that is written piece by piece, into a temporary file, because an archive needs its size before its content. */
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const pieceBytes = 1024 ** 2;

export class Spool {
  size = 0;
  #waiting: string[] = [];
  #waitingLength = 0;
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(): Promise<Spool> {
    const folder = await mkdtemp(join(tmpdir(), "skein-export-"));
    const file = await open(join(folder, "spool"), "wx+", 0o600);
    // Without a name it disappears when the process ends, however it ends.
    await rm(folder, { recursive: true });
    return new Spool(file);
  }

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    if (this.#waitingLength >= pieceBytes) await this.#flush();
  }

  /** A list of JSON, under a name. */
  async writeList(name: string, rows: AsyncIterable<object> | Iterable<object>): Promise<void> {
    await this.write(`${JSON.stringify(name)}:[`);
    let separator = "\n";
    for await (const row of rows) {
      await this.write(separator + JSON.stringify(row));
      separator = ",\n";
    }
    await this.write("]");
  }

  /** All that was written. */
  async *read(): AsyncGenerator<Uint8Array> {
    await this.#flush();
    for (let position = 0; position < this.size;) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position);
      if (bytesRead === 0) throw new Error("a temporary file ends early");
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  }

  async sized(): Promise<number> {
    await this.#flush();
    return this.size;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(this.#waiting.join(""));
    [this.#waiting, this.#waitingLength] = [[], 0];
    await this.#file.write(bytes, 0, bytes.length, this.size);
    this.size += bytes.length;
  }
}
