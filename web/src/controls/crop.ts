/** Which square of a picture is kept. */

export interface Crop {
  /** 1 keeps as much as possible, 4 a quarter of that width. */
  zoom: number;
  /** Where the square is between the edges of the picture, from 0 to 1. */
  x: number;
  y: number;
}

export const middle: Crop = { zoom: 1, x: 0.5, y: 0.5 };
export const maxZoom = 4;

interface Size {
  width: number;
  height: number;
}

/** The kept square, in the picture's pixels. */
export function squareOf({ width, height }: Size, { zoom, x, y }: Crop): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / zoom;
  return { left: (width - side) * x, top: (height - side) * y, side };
}

const within = (value: number): number => Math.min(1, Math.max(0, value));

/** Moves the picture below the square by a part of the square's side. */
export function moved(size: Size, crop: Crop, { right, down }: { right: number; down: number }): Crop {
  const { side } = squareOf(size, crop);
  const along = (at: number, room: number, by: number): number => (room <= 0 ? at : within(at - (by * side) / room));
  return { ...crop, x: along(crop.x, size.width - side, right), y: along(crop.y, size.height - side, down) };
}
