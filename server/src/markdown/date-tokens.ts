/** A date's text cut into words: letters, numbers with their fraction, and every other character by itself. */

// Two dots make three numbers, as in 05.03.2024.
const number = String.raw`(?<!\d\.)\d+\.\d+(?![\d.])|\d+`;
const commaFraction = String.raw`\d{2,},\d+(?![\d.,])`;
const token = new RegExp(String.raw`${commaFraction}|${number}|\p{L}+|\s|.`, "gsu");

/** White space of any kind is a space, and a comma before a fraction is a dot. */
export const wordsOf = (text: string): string[] =>
  Array.from(text.replaceAll("\0", "").matchAll(token), ([word]) => {
    if (/^\s$/.test(word)) return " ";
    return /^\d+,\d+$/.test(word) ? word.replace(",", ".") : word;
  });
