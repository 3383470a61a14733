/** The files of uploaded avatars: a picture in two sizes under an unguessable key, which is new with each upload. */
import { randomBytes } from "node:crypto";
import { maxAvatarFileMebibytes } from "@skein/api/avatars.ts";
import { ApiError, tooManyImages, undecodableImage } from "../../../errors.ts";
import { fileTooLarge, type SentFile } from "../../../http/form.ts";
import type { FileStore } from "../../../platform/file-store.ts";
import { defaultImageLimits, imageTypes, resizeImage, UnusableImage } from "../../../platform/images.ts";
import { QueueFull } from "../../../platform/fair-limiter.ts";
import { userLimiterKey } from "../../base/user-limiter-key.ts";
import { avatarFile, type AvatarSize } from "../users/avatar.ts";

export const avatarPixels: Record<AvatarSize, number> = { small: 100, medium: 500 };
const sizes = ["small", "medium"] as const;
const maxBytes = maxAvatarFileMebibytes * 1024 ** 2;

export const avatarType = imageTypes.png;

const fileName = /^[0-9a-f]{32}(?:-medium)?\.png$/;
const storeKey = (name: string): string => `avatars/${name}`;

/** The storage key of a requested file; undefined when the name is not that of an avatar's file. */
export const findAvatarFile = (name: string): string | undefined => (fileName.test(name) ? storeKey(name) : undefined);

/** Stores the upload, cropped to squares, and returns the key. The work takes its turn under `uploader`. */
export async function storeAvatar(
  files: FileStore,
  uploader: { id: number },
  [file, ...more]: SentFile[],
): Promise<string> {
  if (!file || more.length > 0) throw new ApiError("You must upload exactly one avatar.");
  if (file.bytes.length > maxBytes) throw fileTooLarge(maxAvatarFileMebibytes);
  // Decodes the large original only once.
  const medium = await square(uploader, file.bytes, avatarPixels.medium);
  const small = await square(uploader, medium, avatarPixels.small);
  const key = randomBytes(16).toString("hex");
  await files.put(storeKey(avatarFile(key, "small")), small, avatarType);
  await files.put(storeKey(avatarFile(key, "medium")), medium, avatarType);
  return key;
}

async function square(uploader: { id: number }, bytes: Buffer, side: number): Promise<Buffer> {
  const limits = { ...defaultImageLimits, bytes: maxBytes };
  try {
    const cut = { width: side, height: side, fit: "cover", format: "png", animated: false, limits } as const;
    return (await resizeImage(bytes, { ...cut, owner: userLimiterKey(uploader) })).bytes;
  } catch (error) {
    if (error instanceof QueueFull) throw tooManyImages();
    if (!(error instanceof UnusableImage)) throw error;
    throw undecodableImage();
  }
}

/** The storage keys of an avatar's files. */
export const avatarKeys = (key: string): string[] => sizes.map((size) => storeKey(avatarFile(key, size)));

export async function removeAvatarFiles(files: FileStore, key: string): Promise<void> {
  for (const file of avatarKeys(key)) await files.remove(file);
}
