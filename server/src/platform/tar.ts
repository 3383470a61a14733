/**
 * Streams a tar archive of any size in the POSIX.1-2001 (pax) format, which every tar reads. A file's size precedes its
 * content, so the caller must know it in advance.
 */

export interface TarFile {
  /** Relative, with slashes as separators. */
  path: string;
  size: number;
  modifiedAt: Date;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const block = 512;
const regularFile = "0";
const paxHeader = "x";
/** The limits of the fixed fields; longer names and larger sizes go into a separate header before the file. */
const maxNameLength = 100;
const maxNumber = 0o777_7777_7777;

export async function* tar(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    yield* headers(file);
    let written = 0;
    for await (const chunk of file.content) {
      written += chunk.length;
      if (written > file.size) break;
      yield chunk;
    }
    if (written !== file.size) throw new Error(`${file.path} does not have its declared size`);
    yield padding(file.size);
  }
  // Two empty blocks end an archive.
  yield Buffer.alloc(2 * block);
}

const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

function* headers({ path, size, modifiedAt }: TarFile): Generator<Uint8Array> {
  const seconds = Math.max(0, Math.floor(modifiedAt.getTime() / 1000));
  const isLong = Buffer.byteLength(path) > maxNameLength || !/^[\x20-\x7e]*$/.test(path);
  const records = [...(isLong ? [record("path", path)] : []), ...(size > maxNumber ? [record("size", size)] : [])];
  if (records.length > 0) {
    const body = Buffer.concat(records);
    yield header("pax-header", paxHeader, body.length, seconds);
    yield body;
    yield padding(body.length);
  }
  yield header(isLong ? "long-name" : path, regularFile, Math.min(size, maxNumber), seconds);
}

/** `<length> <name>=<value>`, where the length includes itself. */
function record(name: string, value: string | number): Buffer {
  const rest = ` ${name}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length < Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
  return Buffer.from(`${length}${rest}`);
}

function header(name: string, type: string, size: number, seconds: number): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number) =>
    bytes.write(value.toString(8).padStart(width - 1, "0"), at, "ascii");
  bytes.write(name, 0, "ascii");
  octal(0o644, 100, 8); // mode
  octal(0, 108, 8); // owner
  octal(0, 116, 8); // group
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  bytes.write(" ".repeat(8), 148, "ascii"); // the checksum counts as spaces while it is computed
  bytes.write(type, 156, "ascii");
  bytes.write("ustar\u000000", 257, "ascii");
  const checksum = bytes.reduce((sum, byte) => sum + byte, 0);
  bytes.write(`${checksum.toString(8).padStart(6, "0")}\u0000 `, 148, "ascii");
  return bytes;
}
