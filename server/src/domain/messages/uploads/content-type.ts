/**
 * The content type of a file. Its sender declares one, and may be wrong or lie. So a file counts as an image only if it
 * was read as one, and no file is ever shown by a browser in a way that could run its content: few types are shown at
 * all, all others are downloaded, mostly as untyped bytes.
 */
import { imageTypes } from "../../../platform/images.ts";

export const unknownType = "application/octet-stream";

const byExtension: Record<string, string> = {
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

/** The declared type, or else the type by the file name's extension. */
export function claimedType(declared: string, name: string): string {
  const type = declared.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (wellFormed.test(type) && type !== unknownType) return type;
  const extension = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? "";
  return byExtension[extension] ?? unknownType;
}

const imageTypeNames: ReadonlySet<string> = new Set(Object.values(imageTypes));
export const isImageType = (type: string): boolean => imageTypeNames.has(type);

const shownInBrowsers: ReadonlySet<string> = new Set([
  ...imageTypeNames,
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
/** Downloaded with their own type: no browser runs them. */
const downloadedWithType: ReadonlySet<string> = new Set(["application/gzip", "application/pdf", "application/zip"]);

export interface Delivery {
  type: string;
  isShown: boolean;
}

export function deliveryOf(contentType: string): Delivery {
  const isShown = shownInBrowsers.has(contentType);
  if (contentType === "text/plain") return { type: "text/plain; charset=utf-8", isShown };
  return { type: isShown || downloadedWithType.has(contentType) ? contentType : unknownType, isShown };
}
