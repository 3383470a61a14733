/** Streams rows through a cursor and packs them into files, without holding all of them in memory. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { TarFile } from "../../../platform/tar.ts";
import type { JsonRows } from "./contents.ts";

const rowsAtOnce = 100;
const maxFileBytes = 4 * 1024 ** 2;

/** `tx` must be a transaction, and can have one such cursor at a time. */
export async function* fetchTexts(tx: Db, rows: JsonRows): AsyncGenerator<string> {
  await sql`declare export_rows no scroll cursor for ${rows}`.execute(tx);
  for (;;) {
    const fetched = await sql<{ json: string }>`fetch ${sql.lit(rowsAtOnce)} from export_rows`.execute(tx);
    for (const { json } of fetched.rows) yield json;
    if (fetched.rows.length < rowsAtOnce) break;
  }
  await sql`close export_rows`.execute(tx);
}

/** Packs JSON objects into numbered files of limited size, such as `messages-000001.json`. There is always at least one. */
export async function* packIntoFiles(
  name: string,
  texts: AsyncIterable<string> | Iterable<string>,
  modifiedAt: Date,
  count: (rows: number) => void,
): AsyncGenerator<TarFile> {
  let number = 0;
  let waiting: string[] = [];
  let bytes = 0;
  const file = (): TarFile => {
    const content = Buffer.from(`[${waiting.join(",\n")}]\n`);
    count(waiting.length);
    [waiting, bytes] = [[], 0];
    number++;
    const path = `${name}-${String(number).padStart(6, "0")}.json`;
    return { path, size: content.length, modifiedAt, content: [content] };
  };
  for await (const text of texts) {
    waiting.push(text);
    bytes += Buffer.byteLength(text);
    if (bytes >= maxFileBytes) yield file();
  }
  if (waiting.length > 0 || number === 0) yield file();
}
