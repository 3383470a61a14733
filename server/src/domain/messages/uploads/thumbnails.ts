/**
 * Thumbnails of uploaded images. They are created when somebody first looks, and stored beside the file; so a message
 * can refer to one at once, and an image nobody looks at costs nothing.
 */
import type { Context } from "../../../context.ts";
import type { StoredFile } from "../../../platform/file-store.ts";
import { resizeImage, UnusableImage } from "../../../platform/images.ts";
import { QueueFull } from "../../../platform/fair-limiter.ts";
import { userLimiterKey } from "../../base/user-limiter-key.ts";
import type { StoredUpload } from "./access.ts";
import { thumbnailKey, uploadKey } from "./file-name.ts";

const size = { max_width: 840, max_height: 560 };
const still = { name: "840x560.webp", ...size, format: "webp", animated: false };
const moving = { name: "840x560-anim.webp", ...size, format: "webp", animated: true };

export const thumbnailFormats = [moving, still];

/** The format that a message shows. */
export const shownFormat = ({ frames }: { frames: number }): string => (frames > 1 ? moving : still).name;

/** Too many are being created already. */
export class TooManyThumbnails extends Error {
  override name = "TooManyThumbnails";
}

/** Undefined if the file has no thumbnail of this format. */
export async function thumbnail(ctx: Context, upload: StoredUpload, name: string): Promise<StoredFile | undefined> {
  const format = thumbnailFormats.find((known) => known.name === name);
  const isMade = upload.frames !== null && (format?.animated === true ? upload.frames > 1 : true);
  if (!format || !isMade) return undefined;
  const find = () => ctx.files.get(thumbnailKey(upload.path_id, format.name));
  return (await find()) ?? inTurn(ctx, async () => (await find()) ?? make(ctx, upload, format));
}

/**
 * Readers of one message request its images at the same time: after waiting, a request may find the thumbnail already
 * created.
 */
async function inTurn<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const waiting = ctx.memory.thumbnailLimiter;
  if (waiting.isFull) throw new TooManyThumbnails();
  return waiting.take(work);
}

async function make(
  ctx: Context,
  { path_id, owner_id }: StoredUpload,
  format: typeof still,
): Promise<StoredFile | undefined> {
  const original = await ctx.files.get(uploadKey(path_id));
  if (!original) return undefined;
  try {
    const { max_width: width, max_height: height, animated } = format;
    const owner = userLimiterKey({ id: owner_id });
    const made = await resizeImage(original.bytes, { width, height, fit: "inside", format: "webp", animated, owner });
    await ctx.files.put(thumbnailKey(path_id, format.name), made.bytes, made.contentType);
    return made;
  } catch (error) {
    if (error instanceof UnusableImage) return undefined;
    if (error instanceof QueueFull) throw new TooManyThumbnails();
    throw error;
  }
}
