/**
 * The client's texts. A key ending in `_one`, `_other` (and, in other languages, `_few`, `_many` …) is a plural form of the
 * key without the suffix; the value `count` selects it. `{name}` in a text is a placeholder for a value.
 */
import english from "../locales/en.json" with { type: "json" };

type Entry = keyof typeof english;
export type TextKey = Entry extends infer Key
  ? Key extends `${infer Base}_one` | `${infer Base}_other`
    ? Base
    : Key
  : never;
export type TextValues = Record<string, string | number>;

type Table = Readonly<Record<string, string>>;

let table: Table = english;
let plural = new Intl.PluralRules("en");
let number = new Intl.NumberFormat("en");
let current = "en";

/** Texts missing in the table fall back to English. */
export function setTexts(language: string, texts: Table): void {
  table = texts;
  current = language;
  plural = new Intl.PluralRules(language);
  number = new Intl.NumberFormat(language);
}

export const language = (): string => current;

export const formatNumber = (value: number): string => number.format(value);

/** The text with its placeholders. */
export function textOf(key: TextKey, values?: TextValues): string {
  const count = values?.["count"];
  if (typeof count === "number") {
    const form = `${key}_${plural.select(count)}`;
    const found =
      table[form] ?? table[`${key}_other`] ?? (english as Table)[form] ?? (english as Table)[`${key}_other`];
    if (found !== undefined) return found;
  }
  return table[key] ?? (english as Table)[key] ?? key;
}

export function t(key: TextKey, values?: TextValues): string {
  const text = textOf(key, values);
  if (values === undefined) return text;
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === "number" ? formatNumber(value) : value;
  });
}
