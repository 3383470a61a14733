/** Markdown as one line of text, for lists: what is written between the signs. Approximate, and never shown as HTML. */
export const plainMarkdown = (text: string): string =>
  text
    .replaceAll(/^\s*(?:```|~~~).*$/gm, " ")
    .replaceAll(/^\s*(?:>+|#{1,6}|[-*+])\s+/gm, "")
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, "$1")
    .replaceAll(/([@#])_?\*\*([^*\n|]+)(?:\|\d+)?\*\*/g, "$1$2")
    .replaceAll(/(\*\*|~~|\$\$|`+)(?=\S)(.+?)(?<=\S)\1/gs, "$2")
    .replaceAll(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
