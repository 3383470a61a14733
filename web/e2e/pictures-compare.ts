/**
 * Reads and compares pictures. They are stored with few colors, which keeps the set small; a pixel counts as different if
 * it differs by more than that reduction can explain.
 */
import { readFile, writeFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";

/** Of 255, in one of the three channels: more than the color reduction ever changes. */
const leastDifference = 24;
/** The side of a cell, in pixels, when only the layout is compared. */
const cell = 20;
/** Two cells are alike if they differ by less than a line of text does. */
const leastCellDifference = 12;

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue, row by row. */
  bytes: Buffer;
}

async function decode(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, bytes: data };
}

export const pixelsOf = (png: Buffer): Promise<Pixels> => decode(sharp(png));

/** Undefined if there is none. */
export async function readPicture(file: string): Promise<Pixels | undefined> {
  const png = await readFile(file).catch(() => undefined); // not taken yet
  return png && pixelsOf(png);
}

export async function writePicture(file: string, png: Buffer): Promise<void> {
  await writeFile(file, await sharp(png).png({ palette: true, quality: 90, dither: 0, effort: 10 }).toBuffer());
}

/** The fraction of pixels that differ: from 0 to 1. */
export function difference(one: Pixels, other: Pixels, least = leastDifference): number {
  if (one.width !== other.width || one.height !== other.height) return 1;
  const [a, b] = [one.bytes, other.bytes];
  let count = 0;
  for (let at = 0; at < a.length; at += 3)
    if (
      Math.abs((a[at] ?? 0) - (b[at] ?? 0)) > least ||
      Math.abs((a[at + 1] ?? 0) - (b[at + 1] ?? 0)) > least ||
      Math.abs((a[at + 2] ?? 0) - (b[at + 2] ?? 0)) > least
    )
      count++;
  return count / (one.width * one.height);
}

/** The same for blurred pictures: compares where things are, not how edges are smoothed. */
export async function layoutDifference(one: Pixels, other: Pixels): Promise<number> {
  return difference(await squint(one), await squint(other), leastCellDifference);
}

const squint = ({ width, height, bytes }: Pixels): Promise<Pixels> =>
  decode(
    sharp(bytes, { raw: { width, height, channels: 3 } }).resize(Math.ceil(width / cell), Math.ceil(height / cell), {
      fit: "fill",
      kernel: "linear",
    }),
  );
