/** The picture of a user whom the reader may not see: a head and shoulders in two grays, drawn by the server itself. */
import { drawPng, readColor } from "./png.ts";

const isFigure = (x: number, y: number): boolean => {
  const isHead = Math.hypot(x - 50, y - 38) < 18;
  const isShoulders = Math.hypot((x - 50) / 34, (y - 100) / 38) < 1;
  return isHead || isShoulders;
};

export const drawUnknownUser = (): Buffer => drawPng(100, [readColor("#DDDDDD"), readColor("#AAAAAA")], isFigure);
