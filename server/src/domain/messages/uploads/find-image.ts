import type { Context } from "../../../context.ts";
import { defaultImageLimits, inspectImage, UnusableImage, type Picture } from "../../../platform/images.ts";
import { uploadKey } from "./file-name.ts";

/** The properties of a stored file, if it is an image that we can read and that is not too large. */
export async function findImage(
  ctx: Pick<Context, "files">,
  { pathId, size }: { pathId: string; size: number },
): Promise<Picture | undefined> {
  if (size > defaultImageLimits.bytes) return undefined;
  const file = await ctx.files.get(uploadKey(pathId));
  try {
    return file && (await inspectImage(file.bytes));
  } catch (error) {
    if (error instanceof UnusableImage) return undefined;
    throw error;
  }
}
