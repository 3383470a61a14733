/** The character classes that the dialect's rules use. They are Unicode classes, not ASCII ones. */

/** White space, for use inside a character class. */
const spaceClass = String.raw`\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;

const spaceAlone = new RegExp(`[${spaceClass}]`);
const spacesAtStart = new RegExp(`^[${spaceClass}]+`);
const letterOrDigit = /[\p{L}\p{N}]/u;

const space = 1;
const word = 2;
const beforeReference = 4;

const asciiClasses = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  let classes = 0;
  if (spaceAlone.test(character)) classes |= space | beforeReference;
  if (/\w/.test(character)) classes |= word;
  if (`'"({[/<`.includes(character)) classes |= beforeReference;
  asciiClasses[code] = classes;
}

const classesOf = (code: number): number => asciiClasses[code] ?? 0;

/** Whether the code unit at `index` is white space; false beyond either end. */
export function isSpaceAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 128) return (classesOf(code) & space) !== 0;
  return code >= 128 && spaceAlone.test(text.charAt(index));
}

/** Whether a letter, digit or underscore is at `index`. Either half of a surrogate pair counts as its character. */
export function isWordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 128) return (classesOf(code) & word) !== 0;
  if (Number.isNaN(code)) return false;
  const isTrailing = code >= 0xdc00 && code <= 0xdfff;
  const character = text.codePointAt(isTrailing ? index - 1 : index);
  return character !== undefined && letterOrDigit.test(String.fromCodePoint(character));
}

/** Mentions and channel links may start at the beginning, after white space, or after one of `' " ( { [ / <`. */
export function mayStartReference(text: string, index: number): boolean {
  if (index === 0) return true;
  const code = text.charCodeAt(index - 1);
  return code < 128 ? (classesOf(code) & beforeReference) !== 0 : spaceAlone.test(text.charAt(index - 1));
}

export const trimStart = (text: string): string => text.replace(spacesAtStart, "");

/** The end of the text without trailing white space. A loop, because a pattern would try every run of spaces. */
function trimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && isSpaceAt(text, end - 1)) end--;
  return end;
}

export const trimEnd = (text: string): string => text.slice(0, trimmedEnd(text));

export const trim = (text: string): string => trimStart(trimEnd(text));

/** Scans from the start: deeply quoted text is not blank there, but may end in a lot of white space. */
export function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (!isSpaceAt(text, index)) return false;
  return true;
}
