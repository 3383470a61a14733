/** Part of an open file. Unlike a file stream, it leaves the file open when the reader stops early. */
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";

const chunkSize = 256 * 1024;

export const streamRange = (file: FileHandle, start: number, size: number): Readable =>
  Readable.from(chunksOfRange(file, start, size), { objectMode: false });

async function* chunksOfRange(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < size;) {
    const length = Math.min(chunkSize, size - done);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, start + done);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}
