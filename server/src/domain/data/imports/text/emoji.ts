/** The emoji of other chats by our names. */
import { codeToName, nameToCode } from "../../../../markdown/emoji.ts";
import { otherEmojiNames } from "./emoji-data.ts";

/** Where a name means something else in our dialect, other chats' meaning counts. */
const otherNameToCode: ReadonlyMap<string, string> = new Map(
  otherEmojiNames
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [code = "", ...names] = line.split(" ");
      return names.map((name): [string, string] => [name, code]);
    }),
);

/** `+1::skin-tone-3`, `thumbsup_dark_skin_tone`, `thumbsup_tone3`. */
const tone = /(?:::skin-tone-\d+|_(?:(?:medium_)?(?:light|dark)|medium)_skin_tone|_tone\d)+$/;

const bySourceName = new Map<string, string | undefined>();

/** Our name of a built-in emoji by its name in another chat, without a skin tone; undefined if there is none. */
export function ourEmojiName(sourceName: string): string | undefined {
  if (bySourceName.has(sourceName)) return bySourceName.get(sourceName);
  const name = sourceName.replace(tone, "");
  const code = otherNameToCode.get(name) ?? nameToCode.get(name);
  const ours = code === undefined ? undefined : codeToName.get(code);
  // Hostile exports can have any number of names.
  if (bySourceName.size < 10_000) bySourceName.set(sourceName, ours);
  return ours;
}

export const withoutTone = (sourceName: string): string => sourceName.replace(tone, "");
