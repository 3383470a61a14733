/** Files in a dump of MongoDB: each in pieces, in any order. Only where the pieces are is kept in memory. */
import { Readable } from "node:stream";
import type { Archive } from "../archive/archive.ts";
import { numberOf, stringOf } from "../archive/json.ts";
import { Binary, bsonDocuments } from "./bson.ts";

interface Piece {
  number: number;
  start: number;
  size: number;
}

export class GridFiles {
  readonly #archive: Archive;
  readonly #entry: string;
  readonly #pieces: ReadonlyMap<string, Piece[]>;

  private constructor(archive: Archive, entry: string, pieces: ReadonlyMap<string, Piece[]>) {
    this.#archive = archive;
    this.#entry = entry;
    this.#pieces = pieces;
  }

  /** `entry` is the collection of pieces. */
  static async open(archive: Archive, entry: string): Promise<GridFiles> {
    const pieces = new Map<string, Piece[]>();
    if (archive.files.has(entry))
      for await (const documents of bsonDocuments((await archive.stream(entry)) as AsyncIterable<Buffer>))
        for (const { value, start } of documents) {
          const { data } = value;
          if (!(data instanceof Binary)) continue;
          const id = stringOf(value["files_id"]);
          const list = pieces.get(id) ?? [];
          pieces.set(id, list);
          list.push({ number: numberOf(value["n"]) ?? 0, start: start + data.start, size: data.size });
        }
    for (const list of pieces.values()) list.sort((one, other) => one.number - other.number);
    return new GridFiles(archive, entry, pieces);
  }

  /** Undefined if it is not there. */
  sizeOf(id: string): number | undefined {
    return this.#pieces.get(id)?.reduce((sum, { size }) => sum + size, 0);
  }

  read(id: string): Readable | undefined {
    const pieces = this.#pieces.get(id);
    return pieces === undefined ? undefined : Readable.from(this.#chunks(pieces), { objectMode: false });
  }

  async *#chunks(pieces: readonly Piece[]): AsyncGenerator<Buffer> {
    for (const { start, size } of pieces) {
      const bytes = await this.#archive.readRange?.(this.#entry, start, size);
      if (bytes !== undefined) yield bytes;
    }
  }
}
