import { expect, test } from "vitest";
import { middle, moved, squareOf } from "./crop.ts";

const wide = { width: 400, height: 200 };

test("at first the largest square in the middle is kept", () => {
  expect(squareOf(wide, middle)).toEqual({ left: 100, top: 0, side: 200 });
});

test("zooming in keeps a smaller square, within the picture wherever it is", () => {
  expect(squareOf(wide, { zoom: 2, x: 1, y: 1 })).toEqual({ left: 300, top: 100, side: 100 });
  expect(squareOf(wide, { zoom: 2, x: 0, y: 0 })).toEqual({ left: 0, top: 0, side: 100 });
});

test("dragging moves the picture with the pointer, up to its edges", () => {
  const crop = moved(wide, middle, { right: 0.25, down: 0.5 });
  expect(squareOf(wide, crop)).toEqual({ left: 50, top: 0, side: 200 });
  expect(moved(wide, crop, { right: 5, down: 0 }).x).toBe(0);
  expect(moved(wide, crop, { right: -5, down: 0 }).x).toBe(1);
});
