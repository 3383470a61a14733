/**
 * Tar archives, plain or compressed with gzip. A compressed one can only be read from its beginning, so it is read through
 * once to check it and to learn where its files are. If nothing is wrong, it is unpacked into a temporary file without a
 * name the first time a file is needed.
 */
import { createReadStream, readSync } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ArchiveRefused } from "../source.ts";
import {
  type Archive,
  BrokenFile,
  fileNotFound,
  fileTooLarge,
  inflatesTooMuch,
  maxFiles,
  maxInflation,
  tooManyFiles,
  unsuspiciousSize,
} from "./archive.ts";
import { checkEntryName, decodeEntryName, isClutter } from "./entry-name.ts";
import { streamRange } from "./file-range.ts";

interface TarEntry {
  start: number;
  size: number;
}

/** Sees the content of files while an archive is checked; throws to refuse it. */
export type CheckContent = (name: string) => ((chunk: Buffer) => void) | undefined;

const block = 512;
const maxHeader = 1024 * 1024;

const gzipMagic = Buffer.from([0x1f, 0x8b]);

export async function openTar(path: string, checkContent: CheckContent): Promise<Archive> {
  const file = await open(path);
  const magic = Buffer.alloc(2);
  await file.read(magic, 0, 2, 0);
  const isCompressed = magic.equals(gzipMagic);
  try {
    const entries = await listEntries(path, isCompressed, checkContent);
    return new TarArchive(file, isCompressed ? path : undefined, entries);
  } catch (error) {
    await file.close();
    if (error instanceof ArchiveRefused) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArchiveRefused(`The file is not a complete archive (${reason}). Download or copy it again.`, {
      cause: error,
    });
  }
}

/** Reads bytes from chunks, and knows how many there were. */
class ByteReader {
  position = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes, at most `size`; undefined at the end. */
  async next(size: number): Promise<Buffer | undefined> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#chunk = value;
    }
    const piece = this.#chunk.subarray(0, size);
    this.#chunk = this.#chunk.subarray(piece.length);
    this.position += piece.length;
    return piece;
  }

  async take(size: number, use?: (chunk: Buffer) => void): Promise<void> {
    for (let left = size; left > 0;) {
      const piece = await this.next(left);
      if (piece === undefined) throw new Error("it ends early");
      use?.(piece);
      left -= piece.length;
    }
  }

  /** Undefined at the end. */
  async bytes(size: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (let left = size; left > 0;) {
      const piece = await this.next(left);
      if (piece === undefined) return undefined;
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
  }
}

async function listEntries(
  path: string,
  isCompressed: boolean,
  checkContent: CheckContent,
): Promise<Map<string, TarEntry>> {
  const entries = new Map<string, TarEntry>();
  const packed = createReadStream(path, { highWaterMark: 64 * 1024 });
  const gunzip = isCompressed ? createGunzip({ chunkSize: 256 * 1024 }) : undefined;
  if (gunzip !== undefined) pipeline(packed, gunzip).catch(() => undefined); // the reader gets the error
  const reader = new ByteReader((gunzip ?? packed) as AsyncIterable<Buffer>);
  let extended: Extended = {};
  try {
    for (let empty = 0; empty < 2;) {
      const header = await reader.bytes(block);
      if (header === undefined) throw new Error("it ends early");
      if (header.every((byte) => byte === 0)) {
        empty++;
        continue;
      }
      checkSum(header);
      const type = String.fromCharCode(header[156] ?? 0);
      const size = extended.size ?? numberAt(header, 124, 12);
      const padding = (block - (size % block)) % block;
      if ("xgLK".includes(type)) {
        extended = await readExtended(reader, type, size, extended);
        await reader.take(padding);
        continue;
      }
      const name = checkEntryName(extended.path ?? nameOf(header));
      extended = {};
      if (type === "5") continue;
      if (type !== "0" && type !== "\0" && type !== "7")
        throw new ArchiveRefused(
          `${JSON.stringify(name)} is a link or a device. Exports contain only files; nothing in it can be trusted.`,
        );
      const start = reader.position;
      const packedBefore = gunzip?.bytesWritten ?? 0;
      const check = checkContent(name);
      await reader.take(size, (chunk) => {
        check?.(chunk);
        const unpacked = reader.position - start;
        if (gunzip === undefined || unpacked <= unsuspiciousSize) return;
        // The decompressor may have read one chunk ahead.
        const packedNow = gunzip.bytesWritten - packedBefore + packed.readableHighWaterMark;
        if (unpacked > maxInflation * packedNow) throw inflatesTooMuch(name);
      });
      await reader.take(padding);
      if (!isClutter(name)) entries.set(name, { start, size });
      if (entries.size > maxFiles) throw tooManyFiles();
    }
  } finally {
    packed.destroy();
    gunzip?.destroy();
  }
  return entries;
}

interface Extended {
  path?: string;
  size?: number;
}

/** Names that are too long for the header, and sizes that are too large, come before it: as pax records or in GNU's way. */
async function readExtended(reader: ByteReader, type: string, size: number, before: Extended): Promise<Extended> {
  if (size > maxHeader) throw new Error("a header is too long");
  const bytes = await reader.bytes(size);
  if (bytes === undefined) throw new Error("it ends early");
  if (type === "L") return { ...before, path: decodeEntryName(bytes.subarray(0, lengthBeforeNul(bytes))) };
  // "K" is the target of a link, and "g" is about all files.
  if (type !== "x") return before;
  const extended = { ...before };
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString("latin1", at, blank));
    if (blank === -1 || !Number.isInteger(length) || length <= blank - at) throw new Error("a header is damaged");
    const record = bytes.subarray(blank + 1, at + length - 1);
    const equals = record.indexOf(0x3d);
    const key = record.toString("latin1", 0, equals);
    const value = record.subarray(equals + 1);
    if (key === "path") extended.path = decodeEntryName(value);
    if (key === "size") extended.size = Number(value.toString("latin1"));
    at += length;
  }
  if (extended.size !== undefined && !Number.isSafeInteger(extended.size)) throw new Error("a header is damaged");
  return extended;
}

function lengthBeforeNul(bytes: Buffer): number {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes.length : end;
}

const textAt = (header: Buffer, start: number, width: number): Buffer => {
  const field = header.subarray(start, start + width);
  return field.subarray(0, lengthBeforeNul(field));
};

function nameOf(header: Buffer): string {
  const name = decodeEntryName(textAt(header, 0, 100));
  const isPosix = header.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? decodeEntryName(textAt(header, 345, 155)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function numberAt(header: Buffer, start: number, width: number): number {
  const field = header.subarray(start, start + width);
  // Large numbers: the first bit is set, and the rest is binary.
  const isBinary = ((field[0] ?? 0) & 0x80) !== 0;
  const value = isBinary
    ? field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
    : Number.parseInt(textAt(header, start, width).toString("latin1").trim() || "0", 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error("a header is damaged");
  return value;
}

function checkSum(header: Buffer): void {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  if (sum !== numberAt(header, 148, 8)) throw new Error("a header is damaged");
}

class TarArchive implements Archive {
  readonly files: ReadonlyMap<string, TarEntry>;
  /** Of the archive, or, once it is unpacked, of the temporary file. */
  #file: FileHandle;
  /** The compressed archive, until it is unpacked. */
  #packed: string | undefined;
  #unpacking: Promise<void> | undefined;

  constructor(file: FileHandle, packed: string | undefined, files: ReadonlyMap<string, TarEntry>) {
    this.#file = file;
    this.#packed = packed;
    this.files = files;
  }

  async read(name: string, maxBytes: number): Promise<Buffer> {
    const { start, size } = this.#get(name);
    if (size > maxBytes) throw fileTooLarge(name);
    await this.#unpack();
    const bytes = Buffer.allocUnsafe(size);
    if (readSync(this.#file.fd, bytes, 0, size, start) < size) throw new BrokenFile(`${name} ends early`);
    return bytes;
  }

  async stream(name: string): Promise<Readable> {
    const { start, size } = this.#get(name);
    await this.#unpack();
    return streamRange(this.#file, start, size);
  }

  async close(): Promise<void> {
    await this.#unpacking;
    await this.#file.close();
  }

  #get(name: string): TarEntry {
    const entry = this.files.get(name);
    if (entry === undefined) throw fileNotFound(name);
    return entry;
  }

  async #unpack(): Promise<void> {
    if (this.#packed === undefined) return;
    this.#unpacking ??= this.#unpackInto(this.#packed);
    await this.#unpacking;
  }

  async #unpackInto(packed: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "skein-import-"));
    const path = join(folder, "unpacked.tar");
    const unpacked = await open(path, "wx+", 0o600);
    // Without a name it disappears when the process ends, however it ends.
    await rm(folder, { recursive: true });
    const source = createReadStream(packed);
    const gunzip = createGunzip({ chunkSize: 256 * 1024 });
    pipeline(source, gunzip).catch(() => undefined); // the loop gets the error
    for await (const chunk of gunzip as AsyncIterable<Buffer>) await unpacked.writeFile(chunk);
    await this.#file.close();
    this.#file = unpacked;
    this.#packed = undefined;
  }
}
