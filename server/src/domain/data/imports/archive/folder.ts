/** A folder of files, for exports that are folders or were unpacked. */
import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveRefused } from "../source.ts";
import { type Archive, fileNotFound, fileTooLarge, maxFiles, tooManyFiles } from "./archive.ts";
import { checkEntryName, isClutter } from "./entry-name.ts";

export async function openFolder(path: string): Promise<Archive> {
  const files = new Map<string, { size: number }>();
  await list(path, "", files);
  const sizeOf = (name: string): number => {
    const file = files.get(name);
    if (file === undefined) throw fileNotFound(name);
    return file.size;
  };
  return {
    files,
    async read(name, maxBytes) {
      if (sizeOf(name) > maxBytes) throw fileTooLarge(name);
      return readFile(join(path, name));
    },
    // oxlint-disable-next-line typescript/require-await
    async stream(name) {
      sizeOf(name);
      return createReadStream(join(path, name), { highWaterMark: 256 * 1024 });
    },
    async readRange(name, start, size) {
      sizeOf(name);
      const file = await open(join(path, name));
      try {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, start);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

async function list(root: string, folder: string, files: Map<string, { size: number }>): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = checkEntryName(folder === "" ? entry.name : `${folder}/${entry.name}`);
    if (isClutter(entry.isDirectory() ? `${name}/` : name)) continue;
    if (entry.isSymbolicLink())
      throw new ArchiveRefused(`${JSON.stringify(name)} is a link. Replace it by the file, or remove it.`);
    if (entry.isDirectory()) await list(root, name, files);
    else if (entry.isFile()) files.set(name, { size: (await stat(join(root, name))).size });
    if (files.size > maxFiles) throw tooManyFiles();
  }
}
