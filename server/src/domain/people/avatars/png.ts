/** Encodes two-colored PNG files, for pictures that the server draws itself. */
import { crc32, deflateSync } from "node:zlib";

type Color = readonly [red: number, green: number, blue: number];

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** A square of two colors: one bit per pixel, each row preceded by a byte for "no filter". */
export function drawPng(
  side: number,
  colors: readonly [Color, Color],
  isFigure: (x: number, y: number) => boolean,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8); // bits per pixel
  header.writeUInt8(3, 9); // indexed color
  const rowBytes = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(rowBytes * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      if (!isFigure(x, y)) continue;
      const at = y * rowBytes + 1 + (x >> 3);
      rows.writeUInt8(rows.readUInt8(at) | (0x80 >> (x & 7)), at);
    }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colors.flat())),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const readColor = (hex: string): Color => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
};
