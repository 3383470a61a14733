import sharp from "sharp";
import { expect, test } from "vitest";
import { inspectImage, resizeImage, UnusableImage, type ResizeOptions } from "./images.ts";

const red = { r: 255, g: 0, b: 0 };
const blank = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: red } });
const frames = Array.from({ length: 3 }, (_, index) => Buffer.alloc(20 * 10 * 3, index * 80));
const animation = sharp(Buffer.concat(frames), {
  raw: { width: 20, height: 30, channels: 3, pageHeight: 10 },
});

const small: ResizeOptions = { width: 8, height: 8, fit: "inside", format: "png", animated: false, owner: "a" };

test.each(["jpeg", "png", "gif", "webp", "avif"] as const)("a %s image can be read and resized", async (format) => {
  const bytes = await blank(40, 20).toFormat(format).toBuffer();

  expect(await inspectImage(bytes)).toEqual({
    format,
    contentType: `image/${format}`,
    width: 40,
    height: 20,
    frames: 1,
  });
  const resized = await resizeImage(bytes, small);
  expect(resized).toMatchObject({ contentType: "image/png", width: 8, height: 4 });
  expect(await inspectImage(resized.bytes)).toMatchObject({ format: "png", width: 8, height: 4 });
});

test.each([
  ["a vector graphic", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect/></svg>')],
  ["a web page", Buffer.from("<!doctype html><title>Not a picture</title>")],
  ["nothing", Buffer.alloc(0)],
  ["a broken file", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
])("%s is refused", async (_, bytes) => {
  await expect(inspectImage(bytes)).rejects.toThrow(UnusableImage);
  await expect(resizeImage(bytes, small)).rejects.toThrow(UnusableImage);
});

test("an unlisted format is rejected, even if the library could read it", async () => {
  const bytes = await blank(4, 4).toFormat("tiff").toBuffer();

  await expect(inspectImage(bytes)).rejects.toThrow(UnusableImage);
});

test("a small file that decodes to a huge image is rejected before it is decoded", async () => {
  const bytes = await blank(6000, 6000).png().toBuffer();
  const limits = { bytes: 1_000_000, pixels: 20_000_000, frames: 10 };

  expect(bytes.length).toBeLessThan(limits.bytes);
  await expect(resizeImage(bytes, { ...small, limits })).rejects.toThrow(UnusableImage);
});

test("a file that is too large is rejected", async () => {
  const bytes = await blank(4, 4).png().toBuffer();
  const limits = { bytes: bytes.length, pixels: 100, frames: 1 };

  expect(await inspectImage(bytes, limits)).toMatchObject({ width: 4 });
  await expect(inspectImage(bytes, { ...limits, bytes: bytes.length - 1 })).rejects.toThrow(UnusableImage);
});

test.each([
  ["frames", { bytes: 10_000, pixels: 600, frames: 2 }],
  ["pixels", { bytes: 10_000, pixels: 599, frames: 3 }],
])("an animation of too many %s is its first frame", async (_, limits) => {
  const bytes = await animation.clone().gif().toBuffer();
  const moving = { ...small, format: "webp", animated: true } as const;

  expect(await resizeImage(bytes, { ...moving, limits })).toMatchObject({ height: 4, isAnimated: false });
  const enough = { bytes: 10_000, pixels: 600, frames: 3 };
  expect(await resizeImage(bytes, { ...moving, limits: enough })).toMatchObject({ height: 4, isAnimated: true });
});

test("an animation stays animated or becomes its first frame", async () => {
  const bytes = await animation.clone().gif().toBuffer();

  const moving = await resizeImage(bytes, { ...small, format: "webp", animated: true });
  const still = await resizeImage(bytes, { ...small, format: "webp" });

  expect(await inspectImage(moving.bytes)).toMatchObject({ width: 8, height: 4, frames: 3 });
  expect(moving).toMatchObject({ width: 8, height: 4 });
  expect(await inspectImage(still.bytes)).toMatchObject({ width: 8, height: 4, frames: 1 });
});

test("metadata is removed, and the orientation is applied", async () => {
  const secret = "48.8583, 2.2945";
  const bytes = await blank(40, 20)
    .withExif({ IFD0: { ImageDescription: secret } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const tagged = await blank(4, 4)
    .withExif({ IFD0: { ImageDescription: secret } })
    .jpeg()
    .toBuffer();
  expect(tagged.includes(secret)).toBe(true);

  const resized = await resizeImage(tagged, { ...small, format: "jpeg" });

  expect(resized.bytes.includes(secret)).toBe(false);
  expect(await inspectImage(bytes)).toMatchObject({ width: 20, height: 40 });
  expect(await resizeImage(bytes, small)).toMatchObject({ width: 4, height: 8 });
});

test("an image is never enlarged unless it has to cover a size", async () => {
  const bytes = await blank(4, 2).png().toBuffer();

  expect(await resizeImage(bytes, small)).toMatchObject({ width: 4, height: 2 });
  expect(await resizeImage(bytes, { ...small, fit: "cover" })).toMatchObject({ width: 8, height: 8 });
});
