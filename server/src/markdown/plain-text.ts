/** Most messages are a line or two of plain words. One pattern recognizes them, and they need no tree. */

/**
 * Letters, digits and harmless punctuation. A dot is harmless unless a name could follow it, a colon between a letter
 * and a space, a newline before a letter. The first character is a letter, so that no block rule can apply.
 */
const letter = String.raw`A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0400-\u04ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3`;
const plain = new RegExp(
  String.raw`^[${letter}](?:[${letter}0-9 ,!?'"%/\-=+;]|\.(?![A-Za-z0-9])|(?<=[${letter}]): |\n(?=[${letter}]))*$`,
);

export const isPlain = (text: string): boolean => plain.test(text);

export const renderPlain = (text: string): string =>
  `<p>${text.includes("\n") ? text.replaceAll("\n", "<br>\n") : text}</p>`;
