/**
 * Capital letters and digits as strokes on a grid of 4 by 6, so that pictures look the same on machines with other fonts
 * or none. A stroke is a row of points, each two digits: across, down.
 */
const strokes: Record<string, string> = {
  A: "06 20 46,14 34",
  B: "00 06,00 30 41 42 33 03,33 44 45 36 06",
  C: "41 30 10 01 05 16 36 45",
  D: "00 06 26 44 42 20 00",
  E: "40 00 06 46,03 33",
  F: "40 00 06,03 33",
  G: "41 30 10 01 05 16 36 45 43 23",
  H: "00 06,40 46,03 43",
  I: "20 26",
  J: "40 45 36 16 05",
  K: "00 06,40 03 46",
  L: "00 06 46",
  M: "06 00 23 40 46",
  N: "06 00 46 40",
  O: "10 30 41 45 36 16 05 01 10",
  P: "06 00 30 41 42 33 03",
  Q: "10 30 41 45 36 16 05 01 10,24 46",
  R: "06 00 30 41 42 33 03,23 46",
  S: "41 30 10 01 02 13 33 44 45 36 16 05",
  T: "00 40,20 26",
  U: "00 05 16 36 45 40",
  V: "00 26 40",
  W: "00 16 23 36 40",
  X: "00 46,40 06",
  Y: "00 23 40,23 26",
  Z: "00 40 06 46",
  "0": "10 30 41 45 36 16 05 01 10",
  "1": "11 20 26,16 36",
  "2": "01 10 30 41 42 06 46",
  "3": "00 40 23 33 44 45 36 16 05",
  "4": "36 30 04 44",
  "5": "40 00 03 33 44 45 36 16 05",
  "6": "30 10 01 05 16 36 45 44 33 03",
  "7": "00 40 16",
  "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
  "9": "43 13 02 01 10 30 41 45 36 16",
};

export type Point = [x: number, y: number];

export const letterWidth = 4;
export const letterHeight = 6;

/** Lines through these points make the letter; what has no strokes is a space. */
export const strokesOf = (letter: string): Point[][] =>
  (strokes[letter] ?? "")
    .split(",")
    .filter((stroke) => stroke !== "")
    .map((stroke) => stroke.split(" ").map((point): Point => [Number(point[0]), Number(point[1])]));
