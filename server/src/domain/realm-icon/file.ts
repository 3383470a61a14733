/** The files of an organization's pictures, each under a key that nobody can guess, new with each upload. */
import { randomBytes } from "node:crypto";
import { maxIconFileMebibytes, maxLogoFileMebibytes } from "@skein/api/realm-icon.ts";
import { ApiError, undecodableImage } from "../../errors.ts";
import { fileTooLarge, type SentFile } from "../../http/form.ts";
import type { FileStore } from "../../platform/file-store.ts";
import { defaultImageLimits, imageTypes, resizeImage, UnusableImage, type Resizing } from "../../platform/images.ts";
import type { RealmPicture } from "../realm/icon.ts";

type Size = Pick<Resizing, "width" | "height" | "fit">;

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

/** Stores what was uploaded, made as large as it is shown, and gives back the key. */
export async function storePicture(files: FileStore, which: RealmPicture, sent: SentFile[]): Promise<string> {
  const { mebibytes, noun, size } = rules[which];
  const [file, ...more] = sent;
  if (!file || more.length > 0) throw new ApiError(`You must upload exactly one ${noun}.`);
  const bytes = mebibytes * 1024 ** 2;
  if (file.bytes.length > bytes) throw fileTooLarge(mebibytes);
  const key = randomBytes(16).toString("hex");
  const limits = { ...defaultImageLimits, bytes };
  try {
    const picture = await resizeImage(file.bytes, { ...size, format: "png", animated: false, limits });
    await files.put(pictureKey(key), picture.bytes, pictureType);
    return key;
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    throw undecodableImage();
  }
}
