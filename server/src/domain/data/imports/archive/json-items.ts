/**
 * Reads the items of large JSON files one after the other: of a list, or of the lists in an object. The file as a whole is
 * never in memory, only the item that is read.
 */
import { BrokenFile } from "./archive.ts";

export interface JsonItem {
  /** In an object, the name of the list. */
  key: string | undefined;
  value: unknown;
}

/** Longer items are reported as undefined. */
const maxItemBytes = 16 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Yields the items that end in each chunk together. In an object, a value that is not a list is one item, and items under
 * keys that are not wanted are passed over. Throws BrokenFile if the text ends early or is not JSON.
 */
export async function* jsonItems(
  chunks: AsyncIterable<Buffer>,
  isWanted: (key: string) => boolean = () => true,
): AsyncGenerator<JsonItem[]> {
  const scanner = new Scanner(isWanted);
  for await (const chunk of chunks) {
    const items = scanner.scan(chunk);
    if (items.length > 0) yield items;
  }
  scanner.end();
}

type Place = "start" | "in object" | "before value" | "in list" | "end";

class Scanner {
  #place: Place = "start";
  #isObject = false;
  #key: string | undefined;
  /** The brackets inside of the current item. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The pieces of the current item in earlier chunks; undefined between items. */
  #pieces: Buffer[] | undefined;
  #length = 0;
  readonly #isWanted: (key: string) => boolean;
  #isPassedOver = false;

  constructor(isWanted: (key: string) => boolean) {
    this.#isWanted = isWanted;
  }

  scan(chunk: Buffer): JsonItem[] {
    const items: JsonItem[] = [];
    let itemStart = this.#pieces === undefined ? -1 : 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
        continue;
      }
      if (itemStart === -1) {
        if (isBlank(byte) || byte === comma) continue;
        if (this.#structure(byte)) continue;
        itemStart = at;
        this.#pieces = [];
        this.#length = 0;
      }
      if (byte === quote) this.#isInString = true;
      else if (byte === openBrace || byte === openBracket) this.#depth++;
      else if (byte === closeBrace || byte === closeBracket || byte === comma || byte === colon) {
        if (this.#depth > 0) {
          if (byte === closeBrace || byte === closeBracket) this.#depth--;
          continue;
        }
        this.#add(chunk.subarray(itemStart, at));
        itemStart = -1;
        this.#endItem(items);
        this.#structure(byte);
      }
    }
    if (itemStart !== -1) this.#add(chunk.subarray(itemStart));
    return items;
  }

  end(): void {
    if (this.#place !== "end" || this.#pieces !== undefined) throw new BrokenFile("The file ends early");
  }

  #add(piece: Buffer): void {
    if (this.#isPassedOver && this.#place !== "in object") return;
    this.#length += piece.length;
    if (this.#length > maxItemBytes) this.#pieces = [];
    // Copied, because streams reuse the memory of their chunks.
    else this.#pieces?.push(Buffer.from(piece));
  }

  /** Whether the byte belongs to the file's structure, not to an item. */
  #structure(byte: number): boolean {
    switch (this.#place) {
      case "start":
        if (byte === openBracket) this.#place = "in list";
        else if (byte === openBrace) {
          this.#place = "in object";
          this.#isObject = true;
        } else if (byte !== 0xef && byte !== 0xbb && byte !== 0xbf) throw new BrokenFile("The file is not a list");
        return true;
      case "in object":
        if (byte === closeBrace) this.#place = "end";
        else if (byte === colon) this.#place = "before value";
        else return false;
        return true;
      case "before value":
        if (byte === openBracket) this.#place = "in list";
        else if (byte === comma) this.#place = "in object";
        else if (byte === closeBrace) this.#place = "end";
        else return false;
        return true;
      case "in list":
        if (byte !== closeBracket) return false;
        this.#place = this.#isObject ? "in object" : "end";
        return true;
      case "end":
        throw new BrokenFile("Something follows the end of the file's list");
    }
  }

  #endItem(items: JsonItem[]): void {
    const pieces = this.#pieces ?? [];
    this.#pieces = undefined;
    if (this.#isPassedOver && this.#place !== "in object") return;
    const value = this.#length > maxItemBytes ? undefined : parse(Buffer.concat(pieces).toString("utf8"));
    if (this.#place === "in object") {
      if (typeof value !== "string") throw new BrokenFile("The file is not JSON");
      this.#key = value;
      this.#isPassedOver = !this.#isWanted(value);
      return;
    }
    items.push({ key: this.#key, value });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BrokenFile("The file is not JSON", { cause: error });
  }
}
