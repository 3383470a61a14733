/** What a message contains besides text: one bit each in `messages.traits`. */
import type { RenderedMarkdown } from "../../markdown/render.ts";

export const traits = { link: 1, image: 2, attachment: 4 } as const;

export const traitsOf = ({ hasLink, hasImage, attachmentPathIds }: RenderedMarkdown): number =>
  (hasLink ? traits.link : 0) | (hasImage ? traits.image : 0) | (attachmentPathIds.length > 0 ? traits.attachment : 0);
