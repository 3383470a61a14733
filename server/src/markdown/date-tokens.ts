/** Splits a date's text into words: letters, numbers with their fraction, and every other character by itself. */

// Text with two dots is three numbers, as in 05.03.2024.
const number = String.raw`(?<!\d\.)\d+\.\d+(?![\d.])|\d+`;
const commaFraction = String.raw`\d{2,},\d+(?![\d.,])`;
const token = new RegExp(String.raw`${commaFraction}|${number}|\p{L}+|\s|.`, "gsu");

/** Any white space becomes a space, and a comma before a fraction becomes a dot. */
export const wordsOf = (text: string): string[] =>
  Array.from(text.replaceAll("\0", "").matchAll(token), ([word]) => {
    if (/^\s$/.test(word)) return " ";
    return /^\d+,\d+$/.test(word) ? word.replace(",", ".") : word;
  });
