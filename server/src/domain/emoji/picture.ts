/** The small picture made of what was uploaded. */
import { maxEmojiFileMebibytes } from "@skein/api/emoji.ts";
import { ApiError, undecodableImage } from "../../errors.ts";
import { fileTooLarge, type SentFile } from "../../http/form.ts";
import { defaultImageLimits, resizeImage, UnusableImage, type ResizedImage } from "../../platform/images.ts";

const size = { width: 64, height: 64, fit: "cover" } as const;
const maxBytes = maxEmojiFileMebibytes * 1024 ** 2;
const maxAnimationKibibytes = 128;

export interface EmojiPicture {
  shown: ResizedImage;
  /** The first picture of an animation. */
  still: ResizedImage | undefined;
}

export async function makeEmojiPicture([file, ...more]: SentFile[]): Promise<EmojiPicture> {
  if (!file || more.length > 0) throw new ApiError("You must upload exactly one file.");
  if (file.bytes.length > maxBytes) throw fileTooLarge(maxEmojiFileMebibytes);
  try {
    const limits = { ...defaultImageLimits, bytes: maxBytes };
    const moving = await resizeImage(file.bytes, { ...size, format: "webp", animated: true, limits });
    const still = await resizeImage(file.bytes, { ...size, format: "png", animated: false, limits });
    if (!moving.isAnimated) return { shown: still, still: undefined };
    if (moving.bytes.length > maxAnimationKibibytes * 1024)
      throw new ApiError(`An animated emoji must fit into ${maxAnimationKibibytes} KiB; this one is too long.`);
    return { shown: moving, still };
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    throw undecodableImage();
  }
}
