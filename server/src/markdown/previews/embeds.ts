/** Previews made from a page's metadata. */
import type { UrlEmbedData } from "../context.ts";
import { Element } from "../tree.ts";
import { splitUrl } from "../url-policy.ts";
import { image, mediaPreview } from "./elements.ts";
import { hostNameOf } from "./media-types.ts";

/** A double-quoted CSS string. */
const cssString = (text: string): string =>
  `"${text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll(/[\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`;

function pagePreview(url: string, source: string, { title, description }: UrlEmbedData): Element {
  const frame = new Element("div", "", true, { class: "message_embed" });
  const style = `background-image: url(${cssString(source)})`;
  frame.append(new Element("a", "", true, { class: "message_embed_image", href: url, style }));
  const container = frame.append(new Element("div", "", true, { class: "data-container" }));
  if (title) {
    const heading = container.append(new Element("div", "", true, { class: "message_embed_title" }));
    heading.append(new Element("a", title, true, { href: url, title }));
  }
  if (description) container.append(new Element("div", description, true, { class: "message_embed_description" }));
  return frame;
}

/** The preview of a page; `proxied` returns the URL for its image, if the image may be loaded. */
export function embedPreview(
  url: string,
  data: UrlEmbedData,
  proxied: (url: string) => string | undefined,
): Element | undefined {
  const source = data.image ? proxied(data.image) : undefined;
  if (!data.image || source === undefined) return undefined;
  const title = data.title ?? undefined;
  if (data.oembed === true && data.type === "photo") {
    return mediaPreview({ className: "message_inline_image", href: url, title }, image(data.image));
  }
  if (data.oembed === true && data.type === "video") {
    const dataId = data.html ?? "";
    return mediaPreview({ className: "embed-video message_inline_image", href: url, title, dataId }, image(data.image));
  }
  return pagePreview(url, source, data);
}

/** The text of a bare link to a video once its title is known. */
export function videoLinkText(url: string, isYoutube: boolean, title: string): string | undefined {
  if (isYoutube) return `YouTube - ${title}`;
  const split = splitUrl(url);
  return split !== undefined && /(?:^|\.)vimeo\.com$/.test(hostNameOf(split)) ? `Vimeo - ${title}` : undefined;
}
