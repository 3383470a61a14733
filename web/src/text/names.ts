/** Names of people and topics as they are shown. */
import { language, t } from "./t.ts";

/** Initials for an avatar: the first letters of the first and last words. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u);
  const first = firstLetter(words[0]);
  const last = words.length > 1 ? firstLetter(words.at(-1)) : "";
  return (first + last).toLocaleUpperCase(language());
}

const firstLetter = (word = ""): string => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? "";

/** `Ada, Bo and Cy`; beyond `most`, `Ada, Bo and 3 others`. */
export function listNames(names: readonly string[], most = 3): string {
  const shown = names.length > most ? names.slice(0, most - 1) : [...names];
  const left = names.length - shown.length;
  if (left > 0) shown.push(t("names.others", { count: left }));
  return new Intl.ListFormat(language(), { type: "conjunction" }).format(shown);
}

const resolvedMark = "✔ ";

export const isResolvedTopic = (topic: string): boolean => topic.startsWith(resolvedMark);

/** The topic's name without the mark of a resolved one. */
export const plainTopic = (topic: string): string => topic.replace(/^(?:✔ )+/u, "");

/** A topic's new name when it is resolved or reopened. */
export const resolvedTopic = (topic: string, resolved: boolean): string =>
  (resolved ? resolvedMark : "") + plainTopic(topic);

export interface ShownTopic {
  name: string;
  /** Shown in italics: the server's default name, not one a user chose. */
  isUnnamed: boolean;
  isResolved: boolean;
}

export function shownTopic(topic: string, emptyTopicName: string): ShownTopic {
  const plain = plainTopic(topic);
  return { name: plain === "" ? emptyTopicName : plain, isUnnamed: plain === "", isResolved: isResolvedTopic(topic) };
}
