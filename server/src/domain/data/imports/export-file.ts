/** An export of another chat as a file or folder of this machine. */
import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { openSource } from "./open.ts";
import type { NoteSkipped, OpenOptions, Source } from "./source.ts";

/** Reactions may use custom emoji that the organization already has. */
export async function openExport(
  path: string,
  noteSkipped: NoteSkipped,
  organization?: { db: Db; realm: Pick<Realm, "id"> },
  options: Pick<OpenOptions, "canFetch"> = {},
): Promise<Source> {
  const names = organization
    ? await organization.db
        .selectFrom("custom_emoji")
        .select("name")
        .where("realm_id", "=", organization.realm.id)
        .where("deactivated", "=", false)
        .execute()
    : [];
  return openSource(path, { ...options, noteSkipped, customEmoji: new Set(names.map(({ name }) => name)) });
}

const sampleBytes = 1024 ** 2;

/** Tells one export from another: by its size, its beginning and its end. */
export async function fingerprintOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const { size, mtimeMs, isFolder } = await describe(path);
  hash.update(`${size}`);
  if (isFolder) hash.update(`${path} ${mtimeMs}`);
  else {
    const file = await open(path);
    try {
      for (const position of [0, Math.max(0, size - sampleBytes)]) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, position);
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
  return hash.digest("hex");
}

export async function describe(path: string): Promise<{ size: number; mtimeMs: number; isFolder: boolean }> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error(`There is no file ${path}.`);
  return { size: found.size, mtimeMs: found.mtimeMs, isFolder: found.isDirectory() };
}
