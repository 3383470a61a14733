import sharp from "sharp";

/** Any picture will do. */
export const picture: Buffer = await sharp({
  create: { width: 100, height: 100, channels: 3, background: { r: 70, g: 130, b: 180 } },
})
  .png()
  .toBuffer();
