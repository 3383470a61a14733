/** The files of uploaded avatars: two sizes of a picture under one key that nobody can guess, new with each upload. */
import { randomBytes } from "node:crypto";
import { maxAvatarFileMebibytes } from "@skein/api/avatars.ts";
import { ApiError, undecodableImage } from "../../errors.ts";
import { fileTooLarge, type SentFile } from "../../http/form.ts";
import type { FileStore } from "../../platform/file-store.ts";
import { defaultImageLimits, imageTypes, resizeImage, UnusableImage } from "../../platform/images.ts";
import { avatarFile, type AvatarSize } from "../users/avatar.ts";

const pixels: Record<AvatarSize, number> = { small: 100, medium: 500 };
const sizes = ["small", "medium"] as const;
const maxBytes = maxAvatarFileMebibytes * 1024 ** 2;

export const avatarType = imageTypes.png;

const fileName = /^[0-9a-f]{32}(?:-medium)?\.png$/;
const storeKey = (name: string): string => `avatars/${name}`;

/** Where a file that was asked for lies; undefined when no avatar can be called that. */
export const findAvatarFile = (name: string): string | undefined => (fileName.test(name) ? storeKey(name) : undefined);

/** Stores what was uploaded, cut to squares, and gives back the key. */
export async function storeAvatar(files: FileStore, [file, ...more]: SentFile[]): Promise<string> {
  if (!file || more.length > 0) throw new ApiError("You must upload exactly one avatar.");
  if (file.bytes.length > maxBytes) throw fileTooLarge(maxAvatarFileMebibytes);
  const pictures = await Promise.all(sizes.map((size) => square(file.bytes, pixels[size])));
  const key = randomBytes(16).toString("hex");
  for (const [index, size] of sizes.entries()) {
    const picture = pictures[index];
    if (picture) await files.put(storeKey(avatarFile(key, size)), picture, avatarType);
  }
  return key;
}

async function square(bytes: Buffer, side: number): Promise<Buffer> {
  const limits = { ...defaultImageLimits, bytes: maxBytes };
  try {
    const cut = { width: side, height: side, fit: "cover", format: "png", animated: false, limits } as const;
    return (await resizeImage(bytes, cut)).bytes;
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    throw undecodableImage();
  }
}

export async function removeAvatarFiles(files: FileStore, key: string): Promise<void> {
  for (const size of sizes) await files.remove(storeKey(avatarFile(key, size)));
}
