/**
 * Text that many responses contain, compressed once: a gzip file can be put together from pieces that were compressed apart.
 * Each piece ends at a byte boundary and refers to nothing before it (a full flush), so the pieces form one ordinary gzip
 * member, which every client can read; only its checksum has to be computed from those of the pieces.
 */
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { promisify } from "node:util";

const deflate = promisify(deflateRaw);

interface Deflated {
  bytes: Buffer;
  crc: number;
  /** Of the text. */
  length: number;
}

/** Compressed once and sent often. */
const thorough = 6;
/** Compressed for one response. */
const fast = 1;

const finishFlush = constants.Z_FULL_FLUSH;
/** Handing less than this to another thread takes longer than compressing it. */
const maxLengthAtOnce = 32 * 1024;

async function compress(bytes: Buffer, level: number): Promise<Deflated> {
  const isShort = bytes.length <= maxLengthAtOnce;
  const deflated = isShort
    ? deflateRawSync(bytes, { level, finishFlush })
    : await deflate(bytes, { level, finishFlush });
  return { bytes: deflated, crc: crc32(bytes), length: bytes.length };
}

export class SharedText {
  readonly bytes: Buffer;
  #deflated: Promise<Deflated> | undefined;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** Compressed when somebody needs it, then kept. */
  deflated(): Promise<Deflated> {
    this.#deflated ??= compress(this.bytes, thorough);
    return this.#deflated;
  }
}

export type TextPiece = string | SharedText;

export const sharedTextOf = (pieces: readonly TextPiece[]): SharedText =>
  new SharedText(pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join(""));

/** Between shared texts. */
export const comma = new SharedText(",");

/** Those of the texts that are not empty, with commas between them. */
export const separated = (texts: readonly TextPiece[]): TextPiece[] =>
  texts.filter((text) => text !== "").flatMap((text, index) => (index > 0 ? [comma, text] : [text]));

/** The texts one after another, without those of one response between them copied more than once. */
export function toBuffers(pieces: readonly TextPiece[]): Buffer[] {
  return joinOwn(pieces).map((piece) => (piece instanceof SharedText ? piece.bytes : Buffer.from(piece)));
}

const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const emptyLastBlock = Buffer.from([3, 0]);

/** One gzip member with all texts, in parts: those of shared texts are not copied for each response. */
export async function toGzip(pieces: readonly TextPiece[]): Promise<Buffer[]> {
  const parts = await Promise.all(
    joinOwn(pieces).map((piece) =>
      piece instanceof SharedText ? piece.deflated() : compress(Buffer.from(piece), fast),
    ),
  );
  let [crc, length] = [0, 0];
  for (const part of parts) {
    crc = combineCrc(crc, part.crc, part.length);
    length += part.length;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return [header, ...parts.map(({ bytes }) => bytes), emptyLastBlock, trailer];
}

/** Adjacent strings become one. */
function joinOwn(pieces: readonly TextPiece[]): TextPiece[] {
  const joined: TextPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === "string" && typeof last === "string") joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  return joined;
}

/** The polynomial of CRC-32, least significant bit first. */
const polynomial = 0xedb88320;

/** The checksum of two texts together, from the checksum of each and the length of the second. */
export function combineCrc(first: number, second: number, secondLength: number): number {
  // Appending a byte multiplies the first checksum by x^8; the bits of a checksum are the coefficients, x^0 first.
  return (multiply(power(secondLength), first) ^ second) >>> 0;
}

/** The product of two polynomials, modulo the polynomial of the checksum. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 31, factor = b; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product >>> 0;
}

/** x^(8 · 2^n), for each n. */
const squares: number[] = [];

const powers = new Map<number, number>();
const maxPowers = 10_000;

/** x^(8 · bytes). Most lengths are those of shared texts, and come again and again. */
function power(bytes: number): number {
  let known = powers.get(bytes);
  if (known === undefined) {
    known = computePower(bytes);
    if (powers.size >= maxPowers) powers.clear();
    powers.set(bytes, known);
  }
  return known;
}

function computePower(bytes: number): number {
  let result = 2 ** 31; // x^0
  for (let n = 0, left = bytes; left > 0; n++, left = Math.floor(left / 2)) {
    const before = squares[n - 1];
    squares[n] ??= before === undefined ? 2 ** 23 : multiply(before, before);
    if (left % 2 === 1) result = multiply(squares[n] ?? 0, result);
  }
  return result;
}
