/** Uploaded images: a placeholder until the thumbnail exists. */
import type { UploadedImage } from "../context.ts";
import { Element } from "../tree.ts";

const uploadsPath = "/user_uploads/";
const loader = "/static/images/loading/loader-black.svg";

/** The path of the upload that a relative URL refers to. */
export const uploadPathOf = (url: string): string | undefined =>
  url.startsWith(uploadsPath) ? url.slice(uploadsPath.length) : undefined;

export function uploadedImage(upload: UploadedImage): Element {
  const { width, height, content_type, thumbnail_url, animated, transcoded } = upload;
  const original = { "data-original-content-type": content_type, "data-original-dimensions": `${width}x${height}` };
  if (thumbnail_url === undefined) {
    return new Element("img", "", true, { class: "image-loading-placeholder", ...original, src: loader });
  }
  return new Element("img", "", true, {
    ...original,
    ...(animated === true && { "data-animated": "true" }),
    ...(transcoded !== undefined && { "data-transcoded-image": transcoded }),
    src: thumbnail_url,
  });
}
