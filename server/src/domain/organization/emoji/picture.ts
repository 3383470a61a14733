/** Makes an emoji's small picture from the uploaded file. */
import { maxEmojiFileMebibytes } from "@skein/api/emoji.ts";
import { ApiError, tooManyImages, undecodableImage } from "../../../errors.ts";
import { fileTooLarge, type SentFile } from "../../../http/form.ts";
import type { User } from "../../../identity/account.ts";
import { QueueFull } from "../../../platform/fair-limiter.ts";
import { userLimiterKey } from "../../base/user-limiter-key.ts";
import { defaultImageLimits, resizeImage, UnusableImage, type ResizedImage } from "../../../platform/images.ts";

const size = { width: 64, height: 64, fit: "cover" } as const;
const maxBytes = maxEmojiFileMebibytes * 1024 ** 2;
const maxAnimationKibibytes = 128;

export interface EmojiPicture {
  shown: ResizedImage;
  /** The first frame of an animation. */
  still: ResizedImage | undefined;
}

export async function makeEmojiPicture(author: User, [file, ...more]: SentFile[]): Promise<EmojiPicture> {
  if (!file || more.length > 0) throw new ApiError("You must upload exactly one file.");
  if (file.bytes.length > maxBytes) throw fileTooLarge(maxEmojiFileMebibytes);
  try {
    const limits = { ...defaultImageLimits, bytes: maxBytes };
    const owner = userLimiterKey(author);
    const animation = await resizeImage(file.bytes, { ...size, format: "webp", animated: true, limits, owner });
    const still = await resizeImage(file.bytes, { ...size, format: "png", animated: false, limits, owner });
    if (!animation.isAnimated) return { shown: still, still: undefined };
    if (animation.bytes.length > maxAnimationKibibytes * 1024)
      throw new ApiError(`An animated emoji can have at most ${maxAnimationKibibytes} KiB. Try a shorter animation.`);
    return { shown: animation, still };
  } catch (error) {
    if (error instanceof QueueFull) throw tooManyImages();
    if (!(error instanceof UnusableImage)) throw error;
    throw undecodableImage();
  }
}
