/**
 * The names of topics that threads and unthreaded talk become. A character is a Unicode code point, and all times are UTC.
 */

/** Room is left for the mark of a resolved topic. */
const maxLength = 58;
/** A sentence that ends before this many characters is too short for a name. */
const minSentence = 15;
/** A word is cut if the name would become shorter than this otherwise. */
const minBeforeBlank = 30;

/** Characters that cannot be seen. */
const invisible = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const blankControls = /[\t\r]/g;
const marksOfResolved = /^(?:✔\s*)+/;
const sentenceEnd = /[.!?…](?=\s|$)|[。！？]/g;
const endOfName = /[.,:;。]+$/;
const endOfShortened = /[ .,:;\-–—]+$/;

/** One line as it can be part of a name: only visible characters, single blanks, no mark of a resolved topic. */
export function tidyLine(line: string): string {
  return line
    .replaceAll(blankControls, " ")
    .replaceAll(invisible, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(marksOfResolved, "");
}

function firstLine(text: string): string {
  for (const line of text.split("\n")) {
    const tidy = tidyLine(line);
    if (tidy !== "") return tidy;
  }
  return "";
}

const lengthOf = (text: string): number => Array.from(text).length;

/** The first sentence of a plain text, without its full stop. Empty if nothing is left. */
export function firstSentence(text: string): string {
  let line = firstLine(text);
  for (const { 0: mark, index } of line.matchAll(sentenceEnd)) {
    const end = index + mark.length;
    if (lengthOf(line.slice(0, end)) < minSentence) continue;
    line = line.slice(0, end);
    break;
  }
  return line.trim().replace(endOfName, "").trim();
}

/** The name, at most `limit` characters long. */
export function shortenName(name: string, limit = maxLength): string {
  if (name.length <= limit) return name;
  const characters = Array.from(name);
  if (characters.length <= limit) return name;
  let head = characters.slice(0, limit - 1);
  if (!/\s/.test(characters[limit - 1] ?? "")) {
    const blank = head.lastIndexOf(" ");
    if (blank >= minBeforeBlank) head = head.slice(0, blank);
  }
  return `${head.join("").replace(endOfShortened, "")}…`;
}

/** A name with a suffix that distinguishes it from others. */
export const withSuffix = (name: string, suffix: string): string =>
  shortenName(name, maxLength - lengthOf(suffix)) + suffix;

const isoMinute = (at: number): string => new Date(Math.floor(at / 1000)).toISOString().slice(0, 16);

/** The day of a time in microseconds. */
export const dayOf = (at: number): string => isoMinute(at).slice(0, 10);

/** What may give a thread its name, from the best to the worst. */
export interface NameCandidates {
  /** Plain texts. */
  texts: Iterable<string>;
  fileNames?: Iterable<string>;
  /** When the thread began, in microseconds. */
  at: number;
}

/** The name of a thread's topic. Others in the channel may have the same. */
export function threadName({ texts, fileNames = [], at }: NameCandidates): string {
  for (const text of texts) {
    const sentence = firstSentence(text);
    if (sentence !== "") return shortenName(sentence);
  }
  for (const name of fileNames) {
    const line = firstLine(name);
    if (line !== "") return shortenName(line);
  }
  return `thread of ${isoMinute(at).replace("T", " ")}`;
}

/** The topic of what was written at this time outside of threads. */
export const talkTopic = (at: number): string => `channel talk · ${isoMinute(at).slice(0, 7)}`;

/**
 * The name, with a suffix if it is taken: the day on which the thread began, and a number if that is taken, too.
 * `isTaken` compares without case.
 */
export function distinctName(name: string, at: number, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const day = dayOf(at);
  for (let number = 1; ; number++) {
    const candidate = withSuffix(name, number === 1 ? ` (${day})` : ` (${day} ${number})`);
    if (!isTaken(candidate)) return candidate;
  }
}

/** What a resolved topic's name begins with. */
export const resolvedMark = "✔ ";

const checkMarks: ReadonlySet<string> = new Set(["check", "check_mark", "white_check_mark", "heavy_check_mark"]);

/**
 * Whether reactions to the root say that the thread is resolved: its author reacted with a check mark, or more than half
 * of those who reacted did.
 */
export function isResolved(
  authorId: string,
  reactions: readonly { emojiName: string; people: readonly string[] }[],
): boolean {
  const everybody = new Set(reactions.flatMap(({ people }) => people));
  const checking = new Set(
    reactions.filter(({ emojiName }) => checkMarks.has(emojiName)).flatMap(({ people }) => people),
  );
  return checking.has(authorId) || 2 * checking.size > everybody.size;
}
