/** The files of an organization's pictures. Each upload gets a new, unguessable key. */
import { randomBytes } from "node:crypto";
import { maxIconFileMebibytes, maxLogoFileMebibytes } from "@skein/api/realm-icon.ts";
import { ApiError, tooManyImages, undecodableImage } from "../../../errors.ts";
import { fileTooLarge, type SentFile } from "../../../http/form.ts";
import type { User } from "../../../identity/account.ts";
import { QueueFull } from "../../../platform/fair-limiter.ts";
import { userLimiterKey } from "../../base/user-limiter-key.ts";
import type { FileStore } from "../../../platform/file-store.ts";
import {
  defaultImageLimits,
  imageTypes,
  resizeImage,
  UnusableImage,
  type ResizeOptions,
} from "../../../platform/images.ts";
import type { RealmPicture } from "../../organization/realm/icon.ts";

type Size = Pick<ResizeOptions, "width" | "height" | "fit">;

const logo = {
  mebibytes: maxLogoFileMebibytes,
  noun: "logo",
  size: { width: 800, height: 100, fit: "inside" } as Size,
};
const rules: Record<RealmPicture, typeof logo> = {
  icon: { mebibytes: maxIconFileMebibytes, noun: "icon", size: { width: 100, height: 100, fit: "cover" } },
  logo,
  night_logo: logo,
};

export const pictureType = imageTypes.png;
export const pictureKey = (key: string): string => `realm-pictures/${key}.png`;

/** Resizes an uploaded picture to the size it is shown in, stores it, and returns its key. */
export async function storePicture(
  files: FileStore,
  actor: User,
  which: RealmPicture,
  sent: SentFile[],
): Promise<string> {
  const { mebibytes, noun, size } = rules[which];
  const [file, ...more] = sent;
  if (!file || more.length > 0) throw new ApiError(`You must upload exactly one ${noun}.`);
  const bytes = mebibytes * 1024 ** 2;
  if (file.bytes.length > bytes) throw fileTooLarge(mebibytes);
  const key = randomBytes(16).toString("hex");
  const limits = { ...defaultImageLimits, bytes };
  try {
    const picture = await resizeImage(file.bytes, {
      ...size,
      format: "png",
      animated: false,
      limits,
      owner: userLimiterKey(actor),
    });
    await files.put(pictureKey(key), picture.bytes, pictureType);
    return key;
  } catch (error) {
    if (error instanceof QueueFull) throw tooManyImages();
    if (!(error instanceof UnusableImage)) throw error;
    throw undecodableImage();
  }
}
