/** Draws simple pictures pixel by pixel, at twice the final size, to smooth edges. */
import sharp from "sharp";
import { letterHeight, letterWidth, strokesOf, type Point } from "./letters.ts";

const scale = 2;

/** As in CSS: #rrggbb. */
type Color = string;

export class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #dots: Uint8Array;

  constructor(width: number, height: number, ground: Color) {
    this.#width = width * scale;
    this.#height = height * scale;
    this.#dots = new Uint8Array(this.#width * this.#height * 3);
    this.rectangle(0, 0, width, height, ground);
  }

  rectangle(x: number, y: number, width: number, height: number, color: Color): void {
    this.#fill([x, y], [x + width, y + height], color, () => true);
  }

  disc([x, y]: Point, radius: number, color: Color): void {
    const isInside = (dotX: number, dotY: number) => (dotX - x) ** 2 + (dotY - y) ** 2 <= radius ** 2;
    this.#fill([x - radius, y - radius], [x + radius, y + radius], color, isInside);
  }

  /** A polyline with round ends. */
  line(points: readonly Point[], thickness: number, color: Color): void {
    const half = thickness / 2;
    for (const [index, to] of points.entries()) {
      const from = points[index - 1] ?? to;
      const isInside = (x: number, y: number) => distance([x, y], from, to) <= half;
      const least: Point = [Math.min(from[0], to[0]) - half, Math.min(from[1], to[1]) - half];
      const most: Point = [Math.max(from[0], to[0]) + half, Math.max(from[1], to[1]) + half];
      this.#fill(least, most, color, isInside);
    }
  }

  /** Capital letters and digits, `height` high, from the left upper corner on. */
  text([x, y]: Point, text: string, height: number, color: Color): void {
    const unit = height / letterHeight;
    for (const [index, letter] of [...text].entries()) {
      const left = x + index * (letterWidth + 2) * unit;
      for (const stroke of strokesOf(letter)) {
        const points = stroke.map(([across, down]): Point => [left + across * unit, y + down * unit]);
        this.line(points, unit * 0.9, color);
      }
    }
  }

  png(): Promise<Buffer> {
    const raw = { width: this.#width, height: this.#height, channels: 3 as const };
    return sharp(this.#dots, { raw })
      .resize(this.#width / scale, this.#height / scale)
      .png()
      .toBuffer();
  }

  #fill([left, top]: Point, [right, bottom]: Point, color: Color, isInside: (x: number, y: number) => boolean): void {
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    const [lastX, lastY] = [Math.min(this.#width, right * scale), Math.min(this.#height, bottom * scale)];
    for (let y = Math.max(0, Math.floor(top * scale)); y < lastY; y++)
      for (let x = Math.max(0, Math.floor(left * scale)); x < lastX; x++) {
        if (!isInside(x / scale, y / scale)) continue;
        const at = (y * this.#width + x) * 3;
        this.#dots[at] = red ?? 0;
        this.#dots[at + 1] = green ?? 0;
        this.#dots[at + 2] = blue ?? 0;
      }
  }
}

/** The distance from a point to a line segment. */
function distance([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const [alongX, alongY] = [toX - fromX, toY - fromY];
  const length = alongX ** 2 + alongY ** 2;
  const part = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - fromX) * alongX + (y - fromY) * alongY) / length));
  return Math.hypot(x - fromX - part * alongX, y - fromY - part * alongY);
}

/** The width of a text of this height. */
export const textWidth = (text: string, height: number): number =>
  (([...text].length * (letterWidth + 2) - 2) * height) / letterHeight;
