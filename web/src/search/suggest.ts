/** Search suggestions while typing: filters, and values for the unfinished one. */
import "../text/chunks/search.ts";
import { computed } from "@preact/signals";
import { Matcher } from "../text/matching.ts";
import { channelsById, type Channel } from "../store/channels.ts";
import { operandOf, type Narrow, type Term } from "../store/narrow.ts";
import { peopleMatcher } from "../store/people-matcher.ts";
import type { Person } from "../store/people.ts";
import { topicList } from "../store/topics.ts";
import { t } from "../text/t.ts";
import type { Shown } from "../ui/suggestion-list.tsx";
import {
  describeTerm,
  hasOperands,
  hintOf,
  isOperands,
  operatorIcons,
  operators,
  readFilter,
  type Operator,
} from "./filters.ts";

/** Either a complete filter, or the start of one to continue typing. */
export type Option = Shown &
  ({ term: Term; /** Without the filters chosen before. */ isEverywhere?: true } | { text: string });

const most = 8;
const maxOfKind = 2;

const channels = computed(() => new Matcher([...channelsById.value.values()], ({ name }) => name));

const negation = (isNegated: boolean): { negated?: true } => (isNegated ? { negated: true } : {});

function termOption(term: Term, more: Omit<Shown, "key" | "label"> = {}): Option {
  const label = describeTerm(term);
  return { key: `${label} ${JSON.stringify(term.operand)}`, label, ...more, term };
}

const channelOption = ({ stream_id, description, invite_only }: Channel, isNegated: boolean): Option =>
  termOption(
    { operator: "channel", operand: stream_id, ...negation(isNegated) },
    { detail: description, icon: invite_only ? "lock" : "hash" },
  );

const personOption = (
  { user_id, full_name, delivery_email, avatar_url }: Person,
  operator: "sender" | "dm" | "dm-including",
  isNegated: boolean,
): Option =>
  termOption(
    { operator, operand: operator === "sender" ? user_id : [user_id], ...negation(isNegated) },
    { detail: delivery_email ?? undefined, name: full_name, avatar: avatar_url ?? `/avatar/${user_id}` },
  );

function valuesOf(operator: Operator, value: string, isNegated: boolean, chosen: Narrow): Option[] {
  const fixed = (words: readonly string[]): Option[] =>
    words
      .filter((word) => word.startsWith(value.toLowerCase()))
      .map((operand) => termOption({ operator, operand, ...negation(isNegated) }, { icon: operatorIcons[operator] }));
  switch (operator) {
    case "channel":
      return channels.value
        .find(value, most, ({ isSubscribed }) => Number(isSubscribed))
        .map((channel) => channelOption(channel, isNegated));
    case "topic":
      return topics(value, isNegated, chosen);
    case "sender":
    case "dm":
    case "dm-including":
      return peopleMatcher.value
        .find(value, most, ({ is_bot }) => Number(!is_bot))
        .map((person) => personOption(person, operator, isNegated));
    case "has":
      return fixed(hasOperands);
    case "is":
      return fixed(isOperands);
    case "channels":
      return fixed(["public"]);
  }
}

/** Topics of the chosen channel, and the typed text itself, which may be a topic that is not in the list. */
function topics(value: string, isNegated: boolean, chosen: Narrow): Option[] {
  const channelId = operandOf(chosen, "channel");
  const known = typeof channelId === "number" ? (topicList(channelId).topics.value ?? []) : [];
  const found = new Matcher(known, ({ name }) => name).find(value, most).map(({ name }) => name);
  const names = value === "" ? found : [...new Set([...found, value])];
  return names.map((operand) =>
    termOption({ operator: "topic", operand, ...negation(isNegated) }, { icon: "message-square" }),
  );
}

export function suggest(text: string, chosen: Narrow): Option[] {
  const filter = readFilter(text);
  if (filter) return valuesOf(filter.operator, filter.value, filter.isNegated, chosen);
  const words = text.trim().toLowerCase();
  const begun = operators
    .filter((operator) => operator.startsWith(words.replace(/^-/, "")))
    .map((operator): Option => {
      const minus = words.startsWith("-") ? "-" : "";
      return {
        key: operator,
        label: `${minus}${operator}:`,
        detail: hintOf(operator),
        icon: operatorIcons[operator],
        text: `${minus}${operator}:`,
      };
    });
  if (words.length < 2) return begun;
  return [
    ...begun,
    ...peopleMatcher.value.find(words, maxOfKind).map((person) => personOption(person, "sender", false)),
    ...channels.value.find(words, maxOfKind).map((channel) => channelOption(channel, false)),
  ];
}

/** The row that searches for the words themselves. */
export const wordsOption = (words: string): Option & { term: Term } => ({
  key: "words",
  label: t("search.words", { words }),
  icon: "search",
  term: { operator: "search", operand: words },
});

/** The row that searches for them without the filters chosen before, such as the conversation on screen. */
export const everywhereOption = (words: string): Option => ({
  ...wordsOption(words),
  key: "everywhere",
  label: t("search.everywhere", { words }),
  icon: "globe",
  isEverywhere: true,
});
