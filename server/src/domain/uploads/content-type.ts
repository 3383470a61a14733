/**
 * What a file is taken for. Its sender says a type, and may be wrong or lie. So a picture counts as one only when it was
 * read as one, and no file is ever shown by a browser in a way that could run what is in it: few types are shown at all,
 * all others are saved, mostly as bytes of no type.
 */
import { imageTypes } from "../../platform/images.ts";

export const unknownType = "application/octet-stream";

const byEnding: Record<string, string> = {
  aac: "audio/aac",
  avif: "image/avif",
  csv: "text/csv",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  jpe: "image/jpeg",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  log: "text/plain",
  m4a: "audio/mp4",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip",
};

const wellFormed = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}$/;

/** By what the sender says, or by the ending of the name. */
export function claimedType(said: string, name: string): string {
  const type = said.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (wellFormed.test(type) && type !== unknownType) return type;
  const ending = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? "";
  return byEnding[ending] ?? unknownType;
}

const pictureTypes: ReadonlySet<string> = new Set(Object.values(imageTypes));
export const isPictureType = (type: string): boolean => pictureTypes.has(type);

const shownInBrowsers: ReadonlySet<string> = new Set([
  ...pictureTypes,
  "audio/aac",
  "audio/flac",
  "audio/mp4",
  "audio/mpeg",
  "audio/wav",
  "audio/webm",
  "text/plain",
  "video/mp4",
  "video/webm",
]);
/** Saved under their own type: no browser runs them. */
const savedAsThemselves: ReadonlySet<string> = new Set(["application/gzip", "application/pdf", "application/zip"]);

export interface Delivery {
  type: string;
  isShown: boolean;
}

export function deliveryOf(contentType: string): Delivery {
  const isShown = shownInBrowsers.has(contentType);
  if (contentType === "text/plain") return { type: "text/plain; charset=utf-8", isShown };
  return { type: isShown || savedAsThemselves.has(contentType) ? contentType : unknownType, isShown };
}
