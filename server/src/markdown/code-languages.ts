/** The languages a code block can name. */
import { languageTags } from "./code-language-data.ts";

const tagsByLanguage: ReadonlyMap<string, readonly string[]> = new Map(
  languageTags
    .trim()
    .split("\n")
    .map((line): [string, string[]] => {
      const [name = "", tags = ""] = line.split("\t");
      return [name, tags.split(" ")];
    }),
);

const languageByTag: ReadonlyMap<string, string> = new Map(
  [...tagsByLanguage].flatMap(([name, tags]) => tags.map((tag): [string, string] => [tag, name])),
);

/** The canonical name of the language that a lowercase tag stands for; undefined for an unknown tag. */
export const canonicalLanguage = (tag: string): string | undefined => languageByTag.get(tag);

/** Every tag of a language. */
export const tagsOfLanguage = (language: string): readonly string[] => tagsByLanguage.get(language) ?? [];
