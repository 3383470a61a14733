/** Names of files: whatever the sender's machine says, made fit to be shown, and to be part of an address. */
import { randomBytes } from "node:crypto";

const longestName = 255;
const longestInPath = 100;
const nameless = "uploaded-file";

/** For people: without a path, without what cannot be seen or turns the reading direction. */
export function shownName(given: string): string {
  const base = given.split(/[/\\]/).at(-1) ?? "";
  const visible = base
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  const characters = [...visible];
  const name = characters.slice(0, longestName).join("");
  return /^\.*$/.test(name) ? nameless : name;
}

/** For an address: letters, digits and a few signs, so that it is written in one way only. The ending stays. */
export function nameInPath(shown: string): string {
  const plain = shown
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-");
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? "";
  const stem = plain.slice(0, plain.length - ending.length).replaceAll(/^[-.]+|[-.]+$/g, "");
  return `${stem === "" ? nameless : stem.slice(0, longestInPath)}${ending}`;
}

/** A new file's address below /user_uploads/; its middle cannot be guessed. */
export function newPathId(realmId: number, shown: string): string {
  const folder = randomBytes(1).toString("hex");
  return `${realmId}/${folder}/${randomBytes(18).toString("base64url")}/${nameInPath(shown)}`;
}

/** Where the file lies in the store, and what is made of it. */
export const uploadKey = (pathId: string): string => `uploads/${pathId}`;
export const thumbnailKey = (pathId: string, format: string): string => `thumbnails/${pathId}/${format}`;
