/** A worker's own copy of an uploaded export: readers need a file in which they can seek. */
import { createWriteStream } from "node:fs";
import { mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Context } from "../../../../context.ts";
import { ImportRefused } from "../refused.ts";
import type { RealmImportRow } from "./access.ts";

const spareBytes = 64 * 1024 ** 2;

/** The file's path ends like its name. It is removed after the work, or by the next attempt on this machine. */
export async function withLocalCopy<T>(
  ctx: Pick<Context, "db" | "files">,
  row: RealmImportRow,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const prefix = `skein-import-${row.realm_id}-${row.id}-`;
  await removeLeftOver(prefix);
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < row.size + spareBytes)
    throw new ImportRefused(
      "The server has too little room for temporary files to unpack this export. Ask its operator to free some, then continue.",
    );
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    const path = join(folder, "export");
    await pipeline(bytesOf(ctx, row), createWriteStream(path, { mode: 0o600 }));
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A worker that was killed could not remove its copy. One job at a time works on an import. */
async function removeLeftOver(prefix: string): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names)
    if (name.startsWith(prefix)) await rm(join(tmpdir(), name), { recursive: true, force: true });
}

async function* bytesOf({ db, files }: Pick<Context, "db" | "files">, { id }: RealmImportRow): AsyncGenerator<Buffer> {
  const parts = await db
    .selectFrom("realm_import_parts")
    .select("file_key")
    .where("import_id", "=", id)
    .orderBy("number")
    .execute();
  for (const { file_key } of parts) {
    const part = await files.open(file_key);
    if (!part) throw new Error(`part ${file_key} of an export is missing`);
    for await (const chunk of part.body) yield chunk as Buffer; // files are read as buffers
  }
}
