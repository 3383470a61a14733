/** A message as one line of plain text, for lists. It is shown as text, never as HTML. */
import { glyphOf } from "../text/glyph.ts";

const longest = 240;
const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

export const decoded = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);

export const plainText = (html: string): string =>
  decoded(
    html
      .replaceAll(
        /<span[^>]*class="emoji emoji-([0-9a-f-]+)"[^>]*>([^<]*)<\/span>/g,
        (_, code, name) => glyphOf(code) ?? name,
      )
      .replaceAll(/<annotation[^>]*>.*?<\/annotation>/gs, " ")
      .replaceAll(/<img[^>]*alt="([^"]*)"[^>]*>/g, " $1 ")
      .replaceAll(/<(?:br|\/p|\/li|\/div|\/blockquote|\/h\d)[^>]*>/g, " ")
      .replaceAll(/<[^>]*>/g, ""),
  )
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^\/me /, "")
    .slice(0, longest);
