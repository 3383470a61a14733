/**
 * The picture of users and organizations without an upload: a mirrored pattern of five by five cells. It is derived from
 * the id alone, so it reveals nothing beyond its URL and needs no credentials.
 */
import { hash } from "node:crypto";
import { avatarColor } from "@skein/api/avatar-color.ts";
import { drawPng, readColor } from "./png.ts";

const cells = 5;
const light = readColor("#FFFFFF");

export function drawPattern(kind: "user" | "realm", id: number, side: number): Buffer {
  const bits = hash("sha256", `${kind} ${id}`, "buffer");
  const margin = side / 10;
  const size = (side - 2 * margin) / cells;
  const cellAt = (pixel: number): number => Math.floor((pixel - margin) / size);
  return drawPng(side, [readColor(avatarColor(id)), light], (x, y) => {
    const [column, row] = [cellAt(x), cellAt(y)];
    if (column < 0 || row < 0 || column >= cells || row >= cells) return false;
    const mirrored = Math.min(column, cells - 1 - column);
    return bits.readUInt8(row * 3 + mirrored) % 2 === 1;
  });
}
