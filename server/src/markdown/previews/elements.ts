/** The elements that previews consist of. */
import { Element } from "../tree.ts";

interface LinkedMedia {
  className: string;
  href: string;
  title?: string | undefined;
  dataId?: string | undefined;
}

/** A framed image or video inside a link. */
export function mediaPreview({ className, href, title, dataId }: LinkedMedia, media: Element): Element {
  const frame = new Element("div", "", true, { class: className });
  const link = new Element("a", "", true, {
    href,
    ...(title !== undefined && title !== "" && { title }),
    ...(dataId !== undefined && { "data-id": dataId }),
  });
  frame.append(link).append(media);
  return frame;
}

export const image = (src: string, attributes?: Record<string, string>): Element =>
  new Element("img", "", true, { ...attributes, src });

export const video = (src: string): Element => new Element("video", "", true, { preload: "metadata", src });
