/** Files, folders and albums shared through Dropbox. */
import type { UrlEmbedData } from "../context.ts";
import { Element } from "../tree.ts";
import type { SplitUrl } from "../url-policy.ts";
import { image, mediaPreview } from "./elements.ts";
import { hostNameOf, isImage } from "./media-types.ts";

const sharedPath = /^\/(?:s|sh|sc|photos)\//;
const albumPath = /^\/(?:sc|photos)\//;

export const isDropbox = (url: SplitUrl): boolean =>
  sharedPath.test(url.path) && /(?:^|\.)dropbox\.com$/.test(hostNameOf(url));

const withRaw = (url: string): string => `${url.replace(/[?#].*$/, "")}?raw=1`;

function folderPreview(url: string, title: string, icon: string): Element {
  const preview = mediaPreview({ className: "message_inline_ref", href: url, title }, image(icon));
  const summary = preview.append(new Element("div", "", true));
  summary.append(new Element("div", title, true, { class: "message_inline_image_title" }));
  summary.append(new Element("desc", "", true, { class: "message_inline_image_desc" }));
  return preview;
}

/** The preview of a shared file, folder or album. Without the page's metadata, only an image has one. */
export function dropboxPreview(
  url: string,
  split: SplitUrl,
  data: UrlEmbedData | null | undefined,
): Element | undefined {
  const title = data?.title ?? undefined;
  if (isImage(split)) return mediaPreview({ className: "message_inline_image", href: url, title }, image(withRaw(url)));
  const icon = data?.image;
  if (icon === undefined || icon === null) return undefined;
  if (albumPath.test(split.path)) {
    return mediaPreview({ className: "message_inline_image", href: url, title }, image(icon));
  }
  return folderPreview(url, title ?? "", icon);
}
