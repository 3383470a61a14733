/** The files of our own export: each kind of object is in one or more lists of JSON, see docs/export.md. */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { isRecord, type JsonRecord } from "../archive/json.ts";
import { jsonItems } from "../archive/json-items.ts";
import { ArchiveRefused } from "../source.ts";

export interface ExportFiles {
  archive: Archive;
  /** The folder with the lists, with a slash at its end, or empty. */
  root: string;
}

/** The files of a kind, in their order. */
export function filesOf({ archive, root }: ExportFiles, kind: string): string[] {
  const file = new RegExp(String.raw`^${kind}-\d+\.json$`);
  return [...archive.files.keys()]
    .filter((name) => name.startsWith(root) && file.test(name.slice(root.length)))
    .toSorted();
}

/** The rows of one file. Throws BrokenFile. */
export async function* rowsIn({ archive }: ExportFiles, entry: string): AsyncGenerator {
  const chunks = (await archive.stream(entry)) as AsyncIterable<Buffer>; // files are read as bytes
  for await (const items of jsonItems(chunks)) for (const { value } of items) yield value;
}

/** All rows of a kind that everything else depends on: if one of its files cannot be read, nothing can be imported. */
export async function* rowsOf(files: ExportFiles, kind: string): AsyncGenerator<JsonRecord> {
  for (const entry of filesOf(files, kind))
    try {
      for await (const row of rowsIn(files, entry)) if (isRecord(row)) yield row;
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      throw new ArchiveRefused(
        `${entry} cannot be read (${error.message}). Export again, or download the export again.`,
        {
          cause: error,
        },
      );
    }
}

/** The same, for kinds that are small enough for the memory. */
export async function listOf(files: ExportFiles, kind: string): Promise<JsonRecord[]> {
  const rows: JsonRecord[] = [];
  for await (const row of rowsOf(files, kind)) rows.push(row);
  return rows;
}

/** Seconds since 1970, to the millisecond. */
export function toSeconds(time: unknown): number | undefined {
  const microseconds = toMicroseconds(time);
  return microseconds === undefined ? undefined : Math.floor(microseconds / 1000) / 1000;
}

const timeWithFraction = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d(?::?\d\d)?)$/;

/** Microseconds since 1970; undefined if it is not a time. */
export function toMicroseconds(time: unknown): number | undefined {
  const [, whole, fraction = "", zone = ""] = timeWithFraction.exec(typeof time === "string" ? time : "") ?? [];
  const milliseconds = Date.parse(`${whole}${/^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds * 1000 + Number(fraction.padEnd(6, "0"));
}
