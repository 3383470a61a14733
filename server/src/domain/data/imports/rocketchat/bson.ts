/** Reads BSON, the format of MongoDB's dumps: documents one after the other (https://bsonspec.org/spec.html). */
import { BrokenFile } from "../archive/archive.ts";
import type { JsonRecord } from "../archive/json.ts";

/** Larger documents do not exist in MongoDB. */
const maxDocument = 16 * 1024 * 1024 + 16 * 1024;
const maxDepth = 100;

export interface BsonDocument {
  value: JsonRecord;
  /** Where it begins in the file. */
  start: number;
  bytes: Buffer;
}

/** Yields the documents that end in each chunk together. */
export async function* bsonDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<BsonDocument[]> {
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const found: BsonDocument[] = [];
    let at = 0;
    while (at + 4 <= bytes.length) {
      const size = bytes.readInt32LE(at);
      if (size < 5 || size > maxDocument) throw new BrokenFile("The file is not BSON");
      if (at + size > bytes.length) break;
      const document = bytes.subarray(at, at + size);
      found.push({ value: parseDocument(document), start: position + at, bytes: document });
      at += size;
    }
    rest = bytes.subarray(at);
    position += at;
    if (found.length > 0) yield found;
  }
  if (rest.length > 0) throw new BrokenFile("The file ends early");
}

function parseDocument(bytes: Buffer): JsonRecord {
  try {
    return new Parser(bytes).document(0);
  } catch (error) {
    throw error instanceof RangeError ? new BrokenFile("The file is not BSON", { cause: error }) : error;
  }
}

/** Binary data: where it is in the bytes of its document. */
export class Binary {
  readonly start: number;
  readonly size: number;

  constructor(start: number, size: number) {
    this.start = start;
    this.size = size;
  }
}

/** Dates are numbers of milliseconds, ids are hexadecimal. Types that no export of a chat has are passed over. */
class Parser {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  document(depth: number): JsonRecord {
    if (depth > maxDepth) throw new BrokenFile("The file is not BSON");
    const end = this.#at + this.#bytes.readInt32LE(this.#at);
    this.#at += 4;
    // Without a prototype, so that no key has a meaning.
    const values = Object.create(null) as Record<string, unknown>;
    while (this.#bytes.readUInt8(this.#at) !== 0) {
      const type = this.#bytes.readUInt8(this.#at++);
      const key = this.#cstring();
      values[key] = this.#value(type, depth);
    }
    this.#at++;
    if (this.#at !== end) throw new BrokenFile("The file is not BSON");
    return values;
  }

  #value(type: number, depth: number): unknown {
    const bytes = this.#bytes;
    switch (type) {
      case 0x01:
        return bytes.readDoubleLE(this.#skip(8));
      case 0x02:
      case 0x0d:
      case 0x0e:
        return this.#string();
      case 0x03:
        return this.document(depth + 1);
      case 0x04:
        return Object.values(this.document(depth + 1));
      case 0x05: {
        const size = bytes.readInt32LE(this.#skip(4));
        return new Binary(this.#skip(size + 1) + 1, size);
      }
      case 0x06:
      case 0x0a:
      case 0x7f:
      case 0xff:
        return null;
      case 0x07: {
        const start = this.#skip(12);
        return bytes.toString("hex", start, start + 12);
      }
      case 0x08:
        return bytes.readUInt8(this.#skip(1)) !== 0;
      case 0x09:
      case 0x11:
      case 0x12:
        return Number(bytes.readBigInt64LE(this.#skip(8)));
      case 0x0b:
        this.#cstring();
        this.#cstring();
        return null;
      case 0x0f:
        this.#skip(bytes.readInt32LE(this.#at));
        return null;
      case 0x10:
        return bytes.readInt32LE(this.#skip(4));
      case 0x13:
        this.#skip(16);
        return null;
      default:
        throw new BrokenFile("The file is not BSON");
    }
  }

  #string(): string {
    const size = this.#bytes.readInt32LE(this.#skip(4));
    const start = this.#skip(size);
    return this.#bytes.toString("utf8", start, start + size - 1);
  }

  #cstring(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end === -1) throw new BrokenFile("The file is not BSON");
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return text;
  }

  #skip(size: number): number {
    const start = this.#at;
    if (size < 0 || start + size > this.#bytes.length) throw new BrokenFile("The file is not BSON");
    this.#at += size;
    return start;
  }
}
