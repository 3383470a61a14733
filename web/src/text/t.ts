/**
 * The client's texts. A key ending in `_one`, `_other` (and, in other languages, `_few`, `_many` …) is a plural form of the
 * key without the suffix; the value `count` selects it. `{name}` in a text is a placeholder for a value.
 *
 * The texts of the first load are in `locales/en.json`; those of a part that is loaded later come with it (chunks/). A
 * component that shows a text is rendered again when texts or language change.
 */
import { signal } from "@preact/signals";
import english from "../locales/en.json" with { type: "json" };
import type access from "../locales/en/access.json";
import type auditLog from "../locales/en/audit-log.json";
import type channel from "../locales/en/channel.json";
import type channelSettings from "../locales/en/channel-settings.json";
import type content from "../locales/en/content.json";
import type controls from "../locales/en/controls.json";
import type conversation from "../locales/en/conversation.json";
import type drafts from "../locales/en/drafts.json";
import type emoji from "../locales/en/emoji.json";
import type fields from "../locales/en/fields.json";
import type files from "../locales/en/files.json";
import type inbox from "../locales/en/inbox.json";
import type keys from "../locales/en/keys.json";
import type members from "../locales/en/members.json";
import type messageActions from "../locales/en/message-actions.json";
import type notifications from "../locales/en/notifications.json";
import type organization from "../locales/en/organization.json";
import type imports from "../locales/en/imports.json";
import type organizationLists from "../locales/en/organization-lists.json";
import type palette from "../locales/en/palette.json";
import type panel from "../locales/en/panel.json";
import type people from "../locales/en/people.json";
import type privacy from "../locales/en/privacy.json";
import type roles from "../locales/en/roles.json";
import type search from "../locales/en/search.json";
import type settings from "../locales/en/settings.json";
import type signOn from "../locales/en/sign-on.json";
import type signIn from "../locales/en/sign-in.json";
import type views from "../locales/en/views.json";

type Entry = keyof (typeof english &
  typeof access &
  typeof auditLog &
  typeof channel &
  typeof channelSettings &
  typeof content &
  typeof controls &
  typeof conversation &
  typeof drafts &
  typeof emoji &
  typeof fields &
  typeof files &
  typeof inbox &
  typeof keys &
  typeof members &
  typeof messageActions &
  typeof notifications &
  typeof organization &
  typeof organizationLists &
  typeof imports &
  typeof palette &
  typeof panel &
  typeof people &
  typeof privacy &
  typeof roles &
  typeof search &
  typeof settings &
  typeof signOn &
  typeof signIn &
  typeof views);
export type TextKey = Entry extends infer Key
  ? Key extends `${infer Base}_one` | `${infer Base}_other`
    ? Base
    : Key
  : never;
export type TextValues = Record<string, string | number>;

type Table = Readonly<Record<string, string>>;

interface Texts {
  language: string;
  table: Table;
  /** Of all parts that are loaded. */
  english: Table;
  plural: Intl.PluralRules;
  number: Intl.NumberFormat;
}

const texts = signal<Texts>({
  language: "en",
  table: {},
  english,
  plural: new Intl.PluralRules("en"),
  number: new Intl.NumberFormat("en"),
});

/** Texts missing in the table fall back to English. */
export function setTexts(language: string, table: Table): void {
  const formats = { plural: new Intl.PluralRules(language), number: new Intl.NumberFormat(language) };
  texts.value = { ...texts.peek(), language, table, ...formats };
}

/** Adds the texts of a part of the client. */
export function provideTexts(added: Table): void {
  texts.value = { ...texts.peek(), english: { ...texts.peek().english, ...added } };
}

export const language = (): string => texts.value.language;

export const formatNumber = (value: number): string => texts.value.number.format(value);

/** Whether the text is loaded. */
export const hasText = (key: TextKey): boolean => key in texts.value.english;

/** The text with its placeholders. */
export function textOf(key: TextKey, values?: TextValues): string {
  const { table, english: fallback, plural } = texts.value;
  const count = values?.["count"];
  if (typeof count === "number") {
    const form = `${key}_${plural.select(count)}`;
    const found = table[form] ?? table[`${key}_other`] ?? fallback[form] ?? fallback[`${key}_other`];
    if (found !== undefined) return found;
  }
  const found = table[key] ?? fallback[key];
  // The part that shows it was loaded without its texts.
  if (found === undefined) reportError(new Error(`There is no text for ${key}`));
  return found ?? key;
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
