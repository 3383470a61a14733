/** The languages that users can choose, by the protocol's codes. Clients translate their own texts. */
import { z } from "zod";

const codes = [
  "ar",
  "be",
  "bg",
  "bn",
  "ca",
  "cs",
  "cy",
  "da",
  "de",
  "el",
  "en",
  "en-gb",
  "es",
  "eu",
  "fa",
  "fi",
  "fr",
  "gl",
  "gu",
  "he",
  "hi",
  "hr",
  "hu",
  "id",
  "it",
  "ja",
  "ko",
  "lt",
  "lv",
  "ml",
  "mn",
  "nb",
  "nl",
  "pl",
  "pt",
  "pt-br",
  "ro",
  "ru",
  "si",
  "sk",
  "sr",
  "sv",
  "ta",
  "th",
  "tl",
  "tr",
  "uk",
  "vi",
  "zh-hans",
  "zh-hant",
  "zh-tw",
] as const;

export const languageCode = z.enum(codes);
export type LanguageCode = z.output<typeof languageCode>;

/** The language's name in the language itself. */
export const languageName = (code: LanguageCode): string =>
  new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
