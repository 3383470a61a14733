/** Files of an export: in a zip, in a tar archive or in a folder. All names were checked when it was opened. */
import type { Readable } from "node:stream";
import { ArchiveRefused } from "../source.ts";

export interface Archive {
  /** All files by their names, which have `/` between folders. Folders are not listed. */
  readonly files: ReadonlyMap<string, { readonly size: number }>;
  /** The whole file, if it is not larger than `maxBytes`. */
  read: (name: string, maxBytes: number) => Promise<Buffer>;
  stream: (name: string) => Promise<Readable>;
  /** Part of a file; undefined where that would mean to unpack everything before it. */
  readRange?: (name: string, start: number, size: number) => Promise<Buffer>;
  close: () => Promise<void>;
}

/** One file of an archive cannot be read. The others can. */
export class BrokenFile extends Error {
  override name = "BrokenFile";
}

export const fileNotFound = (name: string): BrokenFile => new BrokenFile(`${name} is not in the archive`);
export const fileTooLarge = (name: string): BrokenFile => new BrokenFile(`${name} is too large`);

/** An archive of so many files is refused, because their names would fill the memory. */
export const maxFiles = 1_000_000;

export const tooManyFiles = (): ArchiveRefused =>
  new ArchiveRefused(
    `The archive contains more than ${maxFiles.toLocaleString("en")} files. Export fewer channels or a shorter period.`,
  );

/** Files larger than this must not have been compressed more than a hundredfold. */
export const unsuspiciousSize = 50 * 1024 * 1024;
export const maxInflation = 100;

export const inflatesTooMuch = (name: string): ArchiveRefused =>
  new ArchiveRefused(
    `${JSON.stringify(name)} unpacks to more than ${maxInflation} times its size. The archive is not a real export.`,
  );
