/**
 * Small versions of uploaded pictures. They are made when somebody first looks, and kept beside the file; so a message
 * can name one at once, and a picture nobody looks at costs nothing.
 */
import type { Context } from "../../context.ts";
import type { StoredFile } from "../../platform/file-store.ts";
import { resizeImage, UnusableImage } from "../../platform/images.ts";
import { Turns } from "../previews/turns.ts";
import type { StoredUpload } from "./access.ts";
import { thumbnailKey, uploadKey } from "./file-name.ts";

const size = { max_width: 840, max_height: 560 };
const still = { name: "840x560.webp", ...size, format: "webp", animated: false };
const moving = { name: "840x560-anim.webp", ...size, format: "webp", animated: true };

export const thumbnailFormats = [moving, still];

/** The one that a message shows. */
export const shownFormat = ({ frames }: { frames: number }): string => (frames > 1 ? moving : still).name;

/** Too many are being made already. */
export class TooManyThumbnails extends Error {
  override name = "TooManyThumbnails";
}

const turns = new WeakMap<Context, Turns>();

/** Undefined where there is none of this format. */
export async function thumbnail(ctx: Context, upload: StoredUpload, name: string): Promise<StoredFile | undefined> {
  const format = thumbnailFormats.find((known) => known.name === name);
  const isMade = upload.frames !== null && (format?.animated === true ? upload.frames > 1 : true);
  if (!format || !isMade) return undefined;
  const find = () => ctx.files.get(thumbnailKey(upload.path_id, format.name));
  return (await find()) ?? inTurn(ctx, async () => (await find()) ?? make(ctx, upload, format));
}

/** Readers of one message ask for its pictures at the same time: whoever waited may find it made. */
async function inTurn<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const waiting = turns.get(ctx) ?? new Turns(2, 200);
  turns.set(ctx, waiting);
  if (waiting.isFull) throw new TooManyThumbnails();
  return waiting.take(work);
}

async function make(ctx: Context, { path_id }: StoredUpload, format: typeof still): Promise<StoredFile | undefined> {
  const original = await ctx.files.get(uploadKey(path_id));
  if (!original) return undefined;
  try {
    const { max_width: width, max_height: height, animated } = format;
    const made = await resizeImage(original.bytes, { width, height, fit: "inside", format: "webp", animated });
    await ctx.files.put(thumbnailKey(path_id, format.name), made.bytes, made.contentType);
    return made;
  } catch (error) {
    if (error instanceof UnusableImage) return undefined;
    throw error;
  }
}
