/** Points in time, shown in each reader's zone: `<time:2024-03-05T10:00:00Z>`. */
import { escapeText } from "../escape.ts";
import { parseTime } from "../time.ts";
import { finalElement } from "../tree.ts";
import { type InlinePass, Replacer } from "./pattern.ts";

const opening = "<time:";

export const times: InlinePass = (text, { pieces }) => {
  const replacer = new Replacer(text);
  for (let start = text.indexOf(opening); start !== -1;) {
    const end = text.indexOf(">", start);
    if (end === -1) break;
    const typed = pieces.sourceOf(text.slice(start + opening.length, end));
    const datetime = parseTime(typed);
    // What is no time stays as it was typed, in one piece.
    const shown = datetime === undefined ? escapeText(`<time:${typed}>`) : finalElement("time", typed, { datetime });
    replacer.replace(start, end + 1, pieces.add(shown, text.slice(start, end + 1)));
    start = text.indexOf(opening, end);
  }
  return replacer.result;
};
