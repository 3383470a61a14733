/** Finds in one pass which characters of interest a text contains, so that patterns that cannot match are skipped. */

export const trigger = {
  backtick: 1,
  star: 2,
  at: 4,
  dollar: 8,
  hash: 16,
  less: 32,
  bracket: 64,
  dot: 128,
  colon: 256,
  ampersand: 512,
  tilde: 1024,
  newline: 2048,
  beyondAscii: 4096,
  emoticon: 8192,
  /** Set for every text. */
  always: 16384,
} as const;

const triggers = new Uint16Array(128);
const mark = (characters: string, flag: number): void => {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    triggers[code] = (triggers[code] ?? 0) | flag;
  }
};
mark("`", trigger.backtick);
mark("*", trigger.star);
mark("@", trigger.at);
mark("$", trigger.dollar);
mark("#", trigger.hash);
mark("<", trigger.less);
mark("[", trigger.bracket);
mark(".", trigger.dot);
mark(":", trigger.colon);
mark("&", trigger.ampersand);
mark("~", trigger.tilde);
mark("\n", trigger.newline);
mark("<:;(", trigger.emoticon);

export function triggersIn(text: string): number {
  let found = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    found |= code < 128 ? (triggers[code] ?? 0) : trigger.beyondAscii;
  }
  return found;
}
