/**
 * Pictures from outside, made harmless: only known formats are read, what is written is decoded and encoded anew without
 * metadata, and neither the size of the file nor that of the picture can take more than its share of memory and time.
 */
import sharp, { type Metadata } from "sharp";

// What is read differs each time; a cache would only hold memory.
sharp.cache(false);
// Loaders of vector graphics, documents and rarely used formats stay shut, whatever a file claims to be.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpeg",
    "VipsForeignLoadPng",
    "VipsForeignLoadNsgif",
    "VipsForeignLoadWebp",
    "VipsForeignLoadHeif",
  ],
});

export const imageTypes = {
  avif: "image/avif",
  gif: "image/gif",
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
} as const;
export type ImageFormat = keyof typeof imageTypes;

export interface Picture {
  format: ImageFormat;
  contentType: (typeof imageTypes)[ImageFormat];
  /** As it is to be seen: turned by what its orientation says; of one frame. */
  width: number;
  height: number;
  frames: number;
}

export interface ImageLimits {
  /** Of the file. */
  bytes: number;
  /** Of all that is decoded: one frame, or those of the whole animation together. */
  pixels: number;
  /** A longer animation is taken as its first frame. */
  frames: number;
}

export const defaultImageLimits: ImageLimits = { bytes: 25 * 1024 ** 2, pixels: 90_000_000, frames: 500 };

const maxSeconds = 10;

/** The file is no picture of a known format, is broken, or exceeds the limits. */
export class UnusableImage extends Error {
  override name = "UnusableImage";
}

/** What the file says it is; its pixels are not looked at yet. */
export async function inspectImage(bytes: Buffer, limits: ImageLimits = defaultImageLimits): Promise<Picture> {
  if (bytes.length > limits.bytes) throw new UnusableImage("the file is too large");
  const metadata = await decoding(() => sharp(bytes, { limitInputPixels: limits.pixels }).metadata());
  const format = formatOf(metadata);
  if (format === undefined) throw new UnusableImage("the format is not known");
  const { width, height, pages: frames = 1, orientation = 1 } = metadata;
  if (width * height > limits.pixels) throw new UnusableImage("the picture is too large");
  const isTurned = orientation >= 5;
  return {
    format,
    contentType: imageTypes[format],
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    frames,
  };
}

export interface Resizing {
  width: number;
  height: number;
  /** `inside`: as large as fits, never larger than it was. `cover`: exactly this size, the rest is cut off. */
  fit: "inside" | "cover";
  format: "gif" | "jpeg" | "png" | "webp";
  /** All frames, where format and limits allow; otherwise the first alone. */
  animated: boolean;
  limits?: ImageLimits;
}

export interface ResizedImage {
  bytes: Buffer;
  contentType: string;
  width: number;
  height: number;
  isAnimated: boolean;
}

/** A new picture of another size, with nothing in it but pixels. */
export async function resizeImage(bytes: Buffer, resizing: Resizing): Promise<ResizedImage> {
  const { width, height, fit, format, limits = defaultImageLimits } = resizing;
  const picture = await inspectImage(bytes, limits);
  const isAnimated = resizing.animated && canMove(format) && isAnimation(picture, limits);
  const { data, info } = await decoding(() =>
    sharp(bytes, { limitInputPixels: limits.pixels, animated: isAnimated })
      .timeout({ seconds: maxSeconds })
      .autoOrient()
      .resize({ width, height, fit, withoutEnlargement: fit === "inside" })
      .toFormat(format)
      .toBuffer({ resolveWithObject: true }),
  );
  return {
    bytes: data,
    contentType: imageTypes[format],
    width: info.width,
    height: info.pageHeight ?? info.height,
    isAnimated,
  };
}

const canMove = (format: ImageFormat): boolean => format === "gif" || format === "webp";

const isAnimation = ({ width, height, frames }: Picture, limits: ImageLimits): boolean =>
  frames > 1 && frames <= limits.frames && width * height * frames <= limits.pixels;

/** The library says in words of its own what is wrong with a file; for us it is one and the same refusal. */
async function decoding<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (error) {
    throw new UnusableImage("the picture cannot be read", { cause: error });
  }
}

/** Of the container HEIF only AVIF is read; browsers show no other. */
function formatOf({ format, compression }: Metadata): ImageFormat | undefined {
  if (format === "heif") return compression === "av1" ? "avif" : undefined;
  return Object.hasOwn(imageTypes, format ?? "") ? (format as ImageFormat) : undefined; // a key of `imageTypes`
}
