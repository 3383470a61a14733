/** The storage key and the URL of an emoji's picture. Neither can be guessed. */
import { randomBytes } from "node:crypto";

export interface EmojiFile {
  realm_id: number;
  file_name: string;
}

export const emojiPath = "/user_avatars/:realm_id/emoji/images/:file_name";

export const newFileName = (extension: "png" | "webp"): string => `${randomBytes(16).toString("hex")}.${extension}`;

const fileName = /^[0-9a-f]{32}\.(?:png|webp)$/;

export const emojiKey = ({ realm_id, file_name }: EmojiFile): string => `emoji/${realm_id}/${file_name}`;

/** The storage key of a requested file; undefined when the name is not that of an emoji's file. */
export const findEmojiKey = (realmId: string, name: string): string | undefined =>
  /^[1-9]\d{0,15}$/.test(realmId) && fileName.test(name)
    ? emojiKey({ realm_id: Number(realmId), file_name: name })
    : undefined;

export const emojiUrl = ({ realm_id, file_name }: EmojiFile): string =>
  emojiPath.replace(":realm_id", String(realm_id)).replace(":file_name", file_name);
