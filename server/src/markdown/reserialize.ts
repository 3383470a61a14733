/**
 * A message with the thumbnail of an uploaded image in it has been read and written again as a document. That leaves
 * its mark: entities other than `&amp;`, `&lt;` and `&gt;` are characters afterwards.
 */

const named: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  iexcl: "¡",
  cent: "¢",
  pound: "£",
  yen: "¥",
  sect: "§",
  copy: "©",
  laquo: "«",
  not: "¬",
  reg: "®",
  deg: "°",
  plusmn: "±",
  micro: "µ",
  para: "¶",
  middot: "·",
  raquo: "»",
  frac14: "¼",
  frac12: "½",
  frac34: "¾",
  iquest: "¿",
  times: "×",
  divide: "÷",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  szlig: "ß",
  agrave: "à",
  aacute: "á",
  acirc: "â",
  ccedil: "ç",
  egrave: "è",
  eacute: "é",
  ecirc: "ê",
  ntilde: "ñ",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  hellip: "…",
  euro: "€",
  trade: "™",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  harr: "↔",
  minus: "−",
  ne: "≠",
  le: "≤",
  ge: "≥",
  infin: "∞",
};

const entityOrTag = /<[^>]*>|&(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|([0-9a-zA-Z]+));/g;
const kept: ReadonlySet<number> = new Set([0x26, 0x3c, 0x3e]);

function toCharacter(code: number): string | undefined {
  const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter && !kept.has(code) ? String.fromCodePoint(code) : undefined;
}

/** Turns entities into characters, except inside tags. */
export const decodeEntities = (html: string): string =>
  html.replaceAll(entityOrTag, (found: string, decimal?: string, hexadecimal?: string, name?: string) => {
    if (decimal !== undefined) return toCharacter(Number.parseInt(decimal, 10)) ?? found;
    if (hexadecimal !== undefined) return toCharacter(Number.parseInt(hexadecimal, 16)) ?? found;
    return (name === undefined ? undefined : named[name]) ?? found;
  });
