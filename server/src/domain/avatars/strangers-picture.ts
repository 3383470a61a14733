/** The picture of somebody one may not see: a head and shoulders in two greys, drawn here so that nothing is fetched. */
import { crc32, deflateSync } from "node:zlib";

const side = 100;
const background = 0xdd;
const figure = 0xaa;

const isFigure = (x: number, y: number): boolean => {
  const isHead = Math.hypot(x - 50, y - 38) < 18;
  const isShoulders = Math.hypot((x - 50) / 34, (y - 100) / 38) < 1;
  return isHead || isShoulders;
};

/** One byte a pixel, each row after a byte that says it is not filtered. */
function rows(): Buffer {
  const bytes = Buffer.alloc(side * (side + 1));
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) bytes[y * (side + 1) + 1 + x] = isFigure(x, y) ? figure : background;
  return bytes;
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** As a PNG file: eight bits of grey a pixel. */
export function drawStranger(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows())),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
