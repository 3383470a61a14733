/** The languages to choose from, by their own names. */
import { languageCodes, languageName } from "@skein/api/language-codes.ts";

const collator = new Intl.Collator();

export const languageOptions = (): { value: string; label: string }[] =>
  languageCodes
    .map((code) => ({ value: code, label: languageName(code) }))
    .toSorted((a, b) => collator.compare(a.label, b.label));
