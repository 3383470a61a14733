/**
 * Stores files: uploads, avatars, emoji, fetched images. A key is a relative path of plain names and cannot point outside
 * the store's folder. A file is stored completely or not at all, even after a crash, and its content type is part of the
 * file, so that the two cannot get out of step.
 *
 * Several nodes must share the folder or use a bucket (file-store-s3.ts).
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";

export interface StoredFile {
  bytes: Buffer;
  contentType: string;
}

export interface OpenedFile {
  contentType: string;
  /** Keeps a file or connection open until it is read to its end or destroyed. */
  body: Readable;
}

/** The first and the last byte, counted from 0, inclusive; both are inside the file. */
export interface ByteRange {
  from: number;
  to: number;
}

export interface FileStore {
  /** Replaces an existing file with that key. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The same for files that do not fit into memory. If `chunks` throws, nothing is changed. */
  putStream(key: string, chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<void>;
  get(key: string): Promise<StoredFile | undefined>;
  /** The same for files that do not fit into memory; the whole file or a range. */
  open(key: string, range?: ByteRange): Promise<OpenedFile | undefined>;
  /** The length of the file in bytes; undefined if there is none. */
  size(key: string): Promise<number | undefined>;
  /** Succeeds even if there is no such file. */
  remove(key: string): Promise<void>;
}

const maxKeyLength = 500;
/** No name begins with a dot, which rules out `..` and files that are still being written. */
const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199})*$/;
const contentTypePattern = /^[\x20-\x7e]{1,200}$/;
const maxContentTypeLength = 200;
const endOfContentType = "\n".charCodeAt(0);

/** Throws unless every kind of store accepts the key. */
export function assertValidKey(key: string): void {
  if (key.length > maxKeyLength || !keyPattern.test(key)) throw new Error(`"${key}" is not a valid file key`);
}

/** Throws unless every kind of store accepts the content type. */
export function assertValidContentType(contentType: string): void {
  if (!contentTypePattern.test(contentType))
    throw new Error("a content type must be one line of printable ASCII characters");
}

export class FolderStore implements FileStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    await this.#write(key, contentType, (file) => file.writeFile(bytes));
  }

  async putStream(key: string, chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<void> {
    await this.#write(key, contentType, (file) => file.writeFile(chunks));
  }

  async #write(key: string, contentType: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    assertValidContentType(contentType);
    const path = this.#pathOf(key);
    const unfinished = join(dirname(path), `.${randomUUID()}`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      const file = await open(unfinished, "wx", 0o600);
      try {
        await file.writeFile(`${contentType}\n`);
        await write(file);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async get(key: string): Promise<StoredFile | undefined> {
    try {
      const content = await readFile(this.#pathOf(key));
      const end = content.indexOf(endOfContentType);
      if (end < 0) throw new Error(`the file ${key} was not written by this store`);
      return { bytes: content.subarray(end + 1), contentType: content.subarray(0, end).toString("latin1") };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#pathOf(key));
      const contentType = await readContentType(file, key);
      const end = contentType.length;
      const start = end + 1 + (range?.from ?? 0);
      const isEmpty = (await file.stat()).size <= start;
      if (isEmpty) await file.close();
      const stop = range ? { end: end + 1 + range.to } : {};
      return { contentType, body: isEmpty ? Readable.from([]) : file.createReadStream({ start, ...stop }) };
    } catch (error) {
      await file?.close();
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async size(key: string): Promise<number | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#pathOf(key));
      const { length } = await readContentType(file, key);
      return (await file.stat()).size - (length + 1);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    } finally {
      await file?.close();
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  #pathOf(key: string): string {
    assertValidKey(key);
    return join(this.#folder, key);
  }
}

/** The first line of the file. */
async function readContentType(file: FileHandle, key: string): Promise<string> {
  const head = Buffer.alloc(maxContentTypeLength + 1);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const end = head.subarray(0, bytesRead).indexOf(endOfContentType);
  if (end < 0) throw new Error(`the file ${key} was not written by this store`);
  return head.subarray(0, end).toString("latin1");
}

/** There is no such file, or a file where the key has a folder, or the reverse. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(error.code));
