/** Sentences that look like language to an index: few words are very common, most are rare. The same every time. */

export const rareWord = "zeppelin";
export const commonWord = "deploy";

const starts = [
  "br",
  "c",
  "d",
  "f",
  "gl",
  "h",
  "k",
  "l",
  "m",
  "n",
  "p",
  "qu",
  "r",
  "s",
  "st",
  "t",
  "tr",
  "v",
  "w",
  "z",
];
const vowels = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const ends = ["", "b", "ck", "d", "l", "m", "n", "nd", "r", "st", "t", "x"];

const vocabulary = Array.from({ length: 20_000 }, (_, index) => {
  const syllable = (number: number) =>
    `${starts[number % starts.length]}${vowels[Math.floor(number / starts.length) % vowels.length]}` +
    `${ends[Math.floor(number / (starts.length * vowels.length)) % ends.length]}`;
  return syllable(index * 7) + syllable(index * 13 + 5);
});

/** Pseudorandom numbers from 0 to 1, determined by the seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
}

export function sentences(count: number): string[] {
  const random = randomNumbers(1);
  // Squaring makes the first words of the vocabulary the most common ones.
  const word = () => vocabulary[Math.floor(random() ** 3 * vocabulary.length)] ?? commonWord;
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from({ length: 6 + Math.floor(random() * 8) }, word);
    if (index % 8 === 0) words[2] = commonWord;
    return `${words.join(" ")}.`;
  });
}
