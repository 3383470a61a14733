/** Images and videos: space is reserved before they load, and they can be opened in the viewer. */
import { isPicturePath } from "@skein/api/picture-paths.ts";
import { t } from "../text/t.ts";
import type { Media } from "./reader.ts";

/** In rem, so that images scale with the text. */
const tallest = 15;
const widest = 25;
const pixelsInRem = 16;

const mediaLinks = ".message_inline_image:not(.embed-video, .youtube-video) > a, .message_inline_video > a";

export function sizeMedia(root: ParentNode): void {
  for (const image of root.querySelectorAll<HTMLImageElement>("img:not(.emoji)")) {
    image.loading = "lazy";
    image.decoding = "async";
    // Inside a link, the link has the accessible name.
    if (image.alt === "") image.alt = image.parentElement?.localName === "a" ? "" : image.title;
    const [width = 0, height = 0] = (image.dataset["originalDimensions"] ?? "").split("x").map(Number);
    if (width > 0 && height > 0) fit(image, width, height);
    if (image.classList.contains("image-loading-placeholder")) image.replaceWith(placeholder(image));
  }
  for (const link of root.querySelectorAll(".message_inline_image > a, .message_inline_video > a")) {
    const isVideo = link.querySelector("video") !== null || link.parentElement?.matches(".embed-video, .youtube-video");
    link.setAttribute("aria-label", t("content.showImage", { name: titleOf(link, isVideo === true) }));
  }
}

function fit(image: HTMLImageElement, width: number, height: number): void {
  const scale = Math.min(1, (widest * pixelsInRem) / width, (tallest * pixelsInRem) / height);
  image.style.aspectRatio = `${width} / ${height}`;
  image.style.inlineSize = `${(width * scale) / pixelsInRem}rem`;
  image.classList.add("sized");
}

/** Reserves the right space until the server has made the thumbnail. */
function placeholder(image: HTMLImageElement): HTMLElement {
  const room = document.createElement("span");
  room.className = image.className;
  room.style.cssText = image.style.cssText;
  return room;
}

function titleOf(link: Element, isVideo: boolean): string {
  const named = link.getAttribute("title") ?? "";
  if (named !== "") return named;
  const file = (link.getAttribute("href") ?? "").split(/[?#]/)[0]?.split("/").at(-1) ?? "";
  if (/\.\w+$/.test(file)) return safelyDecoded(file);
  return t(isVideo ? "content.video" : "content.image");
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** All media of a message that the viewer can open, and the index of `link`; undefined if it is none of them. */
export function mediaOf(root: Element, link: Element): { media: Media[]; index: number } | undefined {
  const links = [...root.querySelectorAll<HTMLAnchorElement>(mediaLinks)];
  const index = links.indexOf(link as HTMLAnchorElement);
  if (index === -1) return undefined;
  const media = links.map((each) => {
    const isVideo = each.querySelector("video") !== null;
    const shown = each.querySelector("img, video")?.getAttribute("src") ?? "";
    // A link to another site is loaded through the proxy, whose URL the image has.
    const isOwn = each.origin === location.origin && isPicturePath(each.pathname);
    return { src: isOwn ? each.href : shown, thumbnail: shown, title: titleOf(each, isVideo), isVideo };
  });
  return { media, index };
}
