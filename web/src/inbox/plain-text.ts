/** A message in one line, for lists: words alone. It is shown as text, never as HTML. */
const longest = 240;
const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

export const plainText = (html: string): string =>
  html
    .replaceAll(/<annotation[^>]*>.*?<\/annotation>/gs, " ")
    .replaceAll(/<img[^>]*alt="([^"]*)"[^>]*>/g, " $1 ")
    .replaceAll(/<(?:br|\/p|\/li|\/div|\/blockquote|\/h\d)[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^\/me /, "")
    .slice(0, longest);
