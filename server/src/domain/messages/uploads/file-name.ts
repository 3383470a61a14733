/** File names: any name the sender's machine gives, made safe to be shown and to be part of a URL. */
import { randomBytes } from "node:crypto";

const maxNameLength = 255;
const maxLengthInPath = 100;
const defaultName = "uploaded-file";

/** For display: without a path, and without invisible characters or those that change the text direction. */
export function shownName(given: string): string {
  const base = given.split(/[/\\]/).at(-1) ?? "";
  const visible = base
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  const characters = [...visible];
  const name = characters.slice(0, maxNameLength).join("");
  return /^\.*$/.test(name) ? defaultName : name;
}

/** For a URL: letters, digits and a few punctuation marks, so that it has only one spelling. The extension is kept. */
export function nameInPath(shown: string): string {
  const plain = shown
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-");
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? "";
  const stem = plain.slice(0, plain.length - extension.length).replaceAll(/^[-.]+|[-.]+$/g, "");
  return `${stem === "" ? defaultName : stem.slice(0, maxLengthInPath)}${extension}`;
}

/** A new file's path below /user_uploads/, with a part that cannot be guessed. */
export function newPathId(realmId: number, shown: string): string {
  const folder = randomBytes(1).toString("hex");
  return `${realmId}/${folder}/${randomBytes(18).toString("base64url")}/${nameInPath(shown)}`;
}

/** The keys of the file and its thumbnails in the store. */
export const uploadKey = (pathId: string): string => `uploads/${pathId}`;
export const thumbnailKey = (pathId: string, format: string): string => `thumbnails/${pathId}/${format}`;
