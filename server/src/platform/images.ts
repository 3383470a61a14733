/**
 * Makes untrusted images safe: only known formats are read, every image is decoded and re-encoded without metadata, and
 * limits on the file and on the image's dimensions bound memory and time.
 */
import { availableParallelism } from "node:os";
import type { Metadata, default as Sharp } from "sharp";
import { FairLimiter } from "./fair-limiter.ts";

const limiter = new FairLimiter({
  concurrency: Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2))),
  maxWaitingPerOwner: 20,
  maxWaiting: 200,
});
let loaded: Promise<typeof Sharp> | undefined;

/** Loads the image library with the first image, because it takes memory. */
function loadSharp(): Promise<typeof Sharp> {
  loaded ??= import("sharp").then(({ default: sharp }) => {
    // Every image is different; a cache would only use memory.
    sharp.cache(false);
    // One core per image, so that threads are left for password hashing and file access.
    sharp.concurrency(1);
    // Loaders for vector graphics, documents and rare formats stay blocked, whatever a file claims to be.
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
    return sharp;
  });
  return loaded;
}

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
  /** Of one frame, after applying the EXIF orientation. */
  width: number;
  height: number;
  frames: number;
}

export interface ImageLimits {
  /** Maximum file size. */
  bytes: number;
  /** Maximum number of decoded pixels: of one frame, or of all frames of an animation together. */
  pixels: number;
  /** Only the first frame of a longer animation is used. */
  frames: number;
}

export const defaultImageLimits: ImageLimits = { bytes: 25 * 1024 ** 2, pixels: 90_000_000, frames: 500 };

const maxSeconds = 10;

/** The file is not an image of a known format, is corrupt, or exceeds the limits. */
export class UnusableImage extends Error {
  override name = "UnusableImage";
}

/** Reads the file's header; pixels are not decoded. */
export async function inspectImage(bytes: Buffer, limits: ImageLimits = defaultImageLimits): Promise<Picture> {
  if (bytes.length > limits.bytes) throw new UnusableImage("the file is too large");
  const sharp = await loadSharp();
  const metadata = await decoding(() => sharp(bytes, { limitInputPixels: limits.pixels }).metadata());
  const format = formatOf(metadata);
  if (format === undefined) throw new UnusableImage("the format is not supported");
  const { width, height, pages: frames = 1, orientation = 1 } = metadata;
  if (width * height > limits.pixels) throw new UnusableImage("the image is too large");
  const isTurned = orientation >= 5;
  return {
    format,
    contentType: imageTypes[format],
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    frames,
  };
}

export interface ResizeOptions {
  width: number;
  height: number;
  /** `inside`: as large as fits, never enlarged. `cover`: exactly this size, cropped. */
  fit: "inside" | "cover";
  format: "gif" | "jpeg" | "png" | "webp";
  /** Keeps all frames if format and limits allow it; otherwise only the first. */
  animated: boolean;
  limits?: ImageLimits;
  /** Owner of the image, for a fair share of processing time. */
  owner: string;
}

export interface ResizedImage {
  bytes: Buffer;
  contentType: string;
  width: number;
  height: number;
  isAnimated: boolean;
}

/**
 * Resizes an image and drops its metadata. Owners take turns; throws QueueFull if too much work is waiting. Size and
 * format are checked first.
 */
export async function resizeImage(bytes: Buffer, resizing: ResizeOptions): Promise<ResizedImage> {
  const { limits = defaultImageLimits } = resizing;
  const picture = await inspectImage(bytes, limits);
  return limiter.take(resizing.owner, () => resize(bytes, picture, resizing));
}

async function resize(bytes: Buffer, picture: Picture, resizing: ResizeOptions): Promise<ResizedImage> {
  const { width, height, fit, format, limits = defaultImageLimits } = resizing;
  const isAnimated = resizing.animated && supportsAnimation(format) && isAnimation(picture, limits);
  const sharp = await loadSharp();
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

const supportsAnimation = (format: ImageFormat): boolean => format === "gif" || format === "webp";

const isAnimation = ({ width, height, frames }: Picture, limits: ImageLimits): boolean =>
  frames > 1 && frames <= limits.frames && width * height * frames <= limits.pixels;

/** Maps all errors of the image library to UnusableImage. */
async function decoding<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (error) {
    throw new UnusableImage("the image cannot be decoded", { cause: error });
  }
}

/** Of the formats in a HEIF container only AVIF is accepted, because browsers show no other. */
function formatOf({ format, compression }: Metadata): ImageFormat | undefined {
  if (format === "heif") return compression === "av1" ? "avif" : undefined;
  return Object.hasOwn(imageTypes, format ?? "") ? (format as ImageFormat) : undefined; // a key of `imageTypes`
}
