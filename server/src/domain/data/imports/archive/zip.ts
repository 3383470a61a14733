/**
 * Zip archives of any size. The directory at the end is read with yauzl; the data of small files by one read each, because
 * an export can have a hundred thousand of them.
 *
 * Before anything is used, every file is unpacked once and counted, so that an archive that lies about its sizes is refused
 * as a whole. Data that cannot be unpacked is not a reason to refuse: reading that file fails.
 */
import { readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createInflateRaw, inflateRawSync } from "node:zlib";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
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

interface ZipEntry {
  headerStart: number;
  packedSize: number;
  size: number;
  method: number;
}

const localHeaderSize = 30;
const localHeaderSignature = 0x04034b50;
/** How much is read after the local header at once, for the name and the extra fields between it and the data. */
const beforeData = 1024;
/** Larger files are streamed. */
const smallFile = 4 * 1024 * 1024;

const stored = 0;
const deflated = 8;
const fileTypeMask = 0o170000;
const symbolicLink = 0o120000;

export async function openZip(path: string): Promise<Archive> {
  const file = await open(path);
  try {
    const entries = await readDirectory(file);
    const archive = new ZipArchive(file, entries);
    await archive.checkSizes();
    return archive;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readDirectory(file: FileHandle): Promise<Map<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>();
  const { size: archiveSize } = await file.stat();
  const zip = await openDirectory(file);
  if (zip.entryCount > maxFiles) throw tooManyFiles();
  let packed = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = checkedName(entry);
      packed += entry.compressedSize;
      // Files that share their data unpack to more than any of them declares.
      if (packed > archiveSize)
        throw new ArchiveRefused("Files of the archive overlap. The archive is not a real export.");
      if (name !== "" && !isClutter(name)) entries.set(name, toZipEntry(name, entry));
    }
  } catch (error) {
    if (error instanceof ArchiveRefused) throw error;
    throw damaged(error);
  }
  return entries;
}

async function openDirectory(file: FileHandle): Promise<ZipFile> {
  try {
    return await fromFdPromise(file.fd, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch (error) {
    throw damaged(error);
  }
}

const damaged = (error: unknown): ArchiveRefused =>
  new ArchiveRefused(
    `The file is not a complete zip archive (${error instanceof Error ? error.message : String(error)}). Download or copy it again.`,
    { cause: error },
  );

/** Empty for a folder. */
function checkedName(entry: Entry): string {
  // `decodeStrings: false` makes it the bytes.
  const bytes = entry.fileName as unknown as Buffer;
  const name = checkEntryName(decodeEntryName(bytes));
  if (((entry.externalFileAttributes >>> 16) & fileTypeMask) === symbolicLink)
    throw new ArchiveRefused(
      `${JSON.stringify(name)} is a link. Exports contain no links; nothing in it can be trusted.`,
    );
  if (entry.isEncrypted()) throw new ArchiveRefused("The archive is encrypted. Decrypt it first.");
  return bytes.at(-1) === 0x2f ? "" : name;
}

function toZipEntry(name: string, entry: Entry): ZipEntry {
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  if (uncompressedSize > unsuspiciousSize && uncompressedSize > maxInflation * compressedSize)
    throw inflatesTooMuch(name);
  return {
    headerStart: entry.relativeOffsetOfLocalHeader,
    packedSize: compressedSize,
    size: uncompressedSize,
    method: compressionMethod,
  };
}

const liesAboutSize = (name: string): ArchiveRefused =>
  new ArchiveRefused(`${JSON.stringify(name)} is larger than the archive says. The archive is not a real export.`);

class TooManyBytes extends Error {}

class ZipArchive implements Archive {
  readonly files: ReadonlyMap<string, ZipEntry>;
  readonly #file: FileHandle;

  constructor(file: FileHandle, entries: ReadonlyMap<string, ZipEntry>) {
    this.#file = file;
    this.files = entries;
  }

  // Async, because archives of other kinds need it.
  // oxlint-disable-next-line typescript/require-await
  async read(name: string, maxBytes: number): Promise<Buffer> {
    const entry = this.#get(name);
    if (entry.size > maxBytes) throw fileTooLarge(name);
    return this.#readWhole(name, entry);
  }

  // oxlint-disable-next-line typescript/require-await
  async stream(name: string): Promise<Readable> {
    const entry = this.#get(name);
    if (isSmall(entry)) return Readable.from([this.#readWhole(name, entry)], { objectMode: false });
    return this.#streamEntry(name, entry);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Throws if a file has more data than the directory says. */
  async checkSizes(): Promise<void> {
    for (const [name, entry] of this.files) {
      if (entry.method !== deflated) continue;
      try {
        if (isSmall(entry)) this.#readWhole(name, entry);
        else await finished(this.#streamEntry(name, entry).resume());
      } catch (error) {
        if (error instanceof TooManyBytes) throw liesAboutSize(name);
      }
    }
  }

  #get(name: string): ZipEntry {
    const entry = this.files.get(name);
    if (entry === undefined) throw fileNotFound(name);
    if (entry.method !== stored && entry.method !== deflated)
      throw new BrokenFile(`${name} is packed in an unknown way`);
    return entry;
  }

  #readWhole(name: string, { headerStart, packedSize, size, method }: ZipEntry): Buffer {
    // Synchronously: most files have a few kilobytes, and going through the thread pool would take longer than reading them.
    const bytes = Buffer.allocUnsafe(localHeaderSize + beforeData + packedSize);
    const length = readSync(this.#file.fd, bytes, 0, bytes.length, headerStart);
    const dataStart = dataStartIn(name, bytes.subarray(0, length));
    const packed =
      dataStart + packedSize <= length
        ? bytes.subarray(dataStart, dataStart + packedSize)
        : this.#readRange(name, headerStart + dataStart, packedSize);
    return method === deflated ? inflate(name, packed, size) : packed;
  }

  #readRange(name: string, start: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    if (readSync(this.#file.fd, bytes, 0, size, start) < size) throw new BrokenFile(`${name} ends early`);
    return bytes;
  }

  #streamEntry(name: string, { headerStart, packedSize, size, method }: ZipEntry): Readable {
    const header = this.#readRange(name, headerStart, localHeaderSize);
    const start = headerStart + dataStartIn(name, header);
    const packed = streamRange(this.#file, start, packedSize);
    if (method === stored) return packed;
    return Readable.from(inflatedChunks(name, packed, size), { objectMode: false });
  }
}

const isSmall = ({ packedSize, size }: ZipEntry): boolean => packedSize <= smallFile && size <= smallFile;

function dataStartIn(name: string, bytes: Buffer): number {
  if (bytes.length < localHeaderSize || bytes.readUInt32LE(0) !== localHeaderSignature)
    throw new BrokenFile(`${name} is not where the archive says`);
  return localHeaderSize + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
}

function inflate(name: string, packed: Buffer, size: number): Buffer {
  try {
    const bytes = inflateRawSync(packed, { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) });
    if (bytes.length !== size) throw bytes.length > size ? new TooManyBytes() : new BrokenFile(`${name} ends early`);
    return bytes;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw new TooManyBytes(undefined, { cause: error });
    throw error instanceof BrokenFile || error instanceof TooManyBytes
      ? error
      : new BrokenFile(`${name} cannot be unpacked`, { cause: error });
  }
}

async function* inflatedChunks(name: string, packed: Readable, size: number): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: 256 * 1024 });
  const piped = pipeline(packed, inflater);
  // The error reaches the reader through the loop below.
  piped.catch(() => undefined);
  let length = 0;
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > size) throw new TooManyBytes();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof TooManyBytes ? error : new BrokenFile(`${name} cannot be unpacked`, { cause: error });
  }
  if (length < size) throw new BrokenFile(`${name} ends early`);
}
