/** `![alt](url)` of an uploaded picture: the picture in the text, without a preview below. Other addresses are not taken. */
import { uploadedImage, uploadPathOf } from "../previews/uploads.ts";
import { finalElement } from "../tree.ts";
import { embeddedFiles } from "./embedded.ts";

export const images = embeddedFiles(({ href, label, title }, { context, effects }) => {
  const pathId = uploadPathOf(href);
  const upload = pathId === undefined ? undefined : context.uploads?.get(pathId);
  if (pathId === undefined || upload === undefined) return undefined;
  effects.attachmentPathIds.add(pathId);
  effects.hasImage = true;
  const isReady = upload.thumbnail_url !== undefined;
  if (isReady) effects.showsThumbnail = true;
  else effects.thumbnailSpinners.add(pathId);
  const { class: waiting, ...shown } = uploadedImage(upload).attributes ?? {};
  return finalElement("img", "", {
    ...shown,
    // With the thumbnail, the reference writes an empty text as an attribute without a value.
    alt: isReady && label === "" ? "alt" : label,
    class: waiting === undefined ? "inline-image" : `inline-image ${waiting}`,
    "data-original-src": href,
    ...(title !== undefined && title !== "" && { title }),
  });
});
