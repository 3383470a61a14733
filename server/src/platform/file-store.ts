/**
 * Where files lie: uploads, avatars, emoji, fetched images. A key is a path of plain names below one folder; nothing
 * that a key says leads out of it. A file is there whole or not at all, also after a crash, and its content type lies in
 * the file itself, so that the two cannot part.
 *
 * With several nodes the folder has to be one they share, or the files lie in a bucket (file-store-s3.ts).
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
  /** Holds something open until it was read to its end or destroyed. */
  body: Readable;
}

/** The first and the last byte, counted from 0; both are inside the file. */
export interface ByteRange {
  from: number;
  to: number;
}

export interface FileStore {
  /** Replaces what has that key. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The same for what does not fit into memory. When `chunks` throws, nothing has changed. */
  putStream(key: string, chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<void>;
  get(key: string): Promise<StoredFile | undefined>;
  /** The same for what does not fit into memory; all of it or a part. */
  open(key: string, range?: ByteRange): Promise<OpenedFile | undefined>;
  /** Fine also when nothing has that key. */
  remove(key: string): Promise<void>;
}

const maxKeyLength = 500;
/** No name begins with a dot: neither a way up nor a file that is still being written. */
const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199})*$/;
const contentTypePattern = /^[\x20-\x7e]{1,200}$/;
const maxContentTypeLength = 200;
const endOfContentType = "\n".charCodeAt(0);

/** Throws unless key and content type are ones that every store takes. */
export function demandKey(key: string): void {
  if (key.length > maxKeyLength || !keyPattern.test(key)) throw new Error(`"${key}" is no key of a file`);
}
export function demandContentType(contentType: string): void {
  if (!contentTypePattern.test(contentType)) throw new Error("a content type is one line of plain characters");
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
    demandContentType(contentType);
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
      const head = Buffer.alloc(maxContentTypeLength + 1);
      const { bytesRead } = await file.read(head, 0, head.length, 0);
      const end = head.subarray(0, bytesRead).indexOf(endOfContentType);
      if (end < 0) throw new Error(`the file ${key} was not written by this store`);
      const contentType = head.subarray(0, end).toString("latin1");
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

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  #pathOf(key: string): string {
    demandKey(key);
    return join(this.#folder, key);
  }
}

/** No such file, or a file or folder where the key has the other. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(error.code));
