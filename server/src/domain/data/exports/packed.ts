import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { tar, type TarFile } from "../../../platform/tar.ts";

/** Files as a gzipped tar archive. */
export async function* packed(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const fed = pipeline(tar(files), gzip);
  // An error there also ends the loop below.
  fed.catch(() => undefined);
  for await (const chunk of gzip) yield chunk as Buffer; // a byte stream yields buffers
  await fed;
}
