/** Parses the terms of a narrow into what they mean, without looking anything up. */
import { emptyTopicDisplayName } from "@skein/api/messages.ts";
import type { Narrow, NarrowTerm } from "@skein/api/narrow.ts";
import { ApiError } from "../../../errors.ts";
import type { ChannelTarget } from "../../channels/access.ts";

export type PersonTarget = { id: number } | { email: string };

export const hasWords = ["attachment", "image", "link", "reaction"] as const;
export const isWords = ["dm", "starred", "unread", "alerted", "mentioned", "followed", "muted", "resolved"] as const;
export const channelSets = ["public", "web-public"] as const;

export type Meaning =
  | { kind: "channel"; channel: ChannelTarget }
  | { kind: "channels"; which: (typeof channelSets)[number] }
  | { kind: "topic"; name: string }
  | { kind: "dm"; people: PersonTarget[] }
  | { kind: "dm-including"; person: PersonTarget }
  | { kind: "group-dm-with"; person: PersonTarget }
  | { kind: "sender"; person: PersonTarget }
  | { kind: "mentions"; person: PersonTarget }
  | { kind: "id"; id: number }
  | { kind: "with"; id: number }
  | { kind: "search"; text: string }
  | { kind: "has"; what: (typeof hasWords)[number] }
  | { kind: "is"; what: (typeof isWords)[number] }
  | { kind: "home" };

export type Term = Meaning & { negated: boolean };

export const badNarrow = (desc: string): ApiError =>
  new ApiError(`Invalid narrow operator: ${desc}`, { code: "BAD_NARROW", data: { desc } });

/** Terms that restrict nothing are left out. */
export function readTerms(narrow: Narrow): Term[] {
  const terms = narrow.flatMap((given): Term[] => {
    const {
      operator,
      operand,
      negated = false,
    } = Array.isArray(given) ? { operator: given[0], operand: given[1] } : given;
    const meaning = readMeaning(operator.toLowerCase(), operand);
    return meaning ? [{ ...meaning, negated }] : [];
  });
  refuseContradiction(terms);
  if (terms.filter(({ kind }) => kind === "with").length > 1) throw badNarrow("Duplicate 'with' operators.");
  return terms;
}

type Operand = NarrowTerm["operand"];

function readMeaning(operator: string, operand: Operand): Meaning | undefined {
  switch (operator) {
    case "channel":
    case "stream":
      return { kind: "channel", channel: readChannel(operand) };
    case "channels":
    case "streams":
      return { kind: "channels", which: oneOf(channelSets, operand, "channels") };
    case "topic":
    case "subject":
      return { kind: "topic", name: readTopic(textOf(operand, operator)) };
    case "dm":
    case "pm-with":
    case "pm_with":
      return { kind: "dm", people: readPeople(operand) };
    case "dm-including":
      return { kind: "dm-including", person: readPerson(operand, operator) };
    case "group-pm-with":
    case "group_pm_with":
      return { kind: "group-dm-with", person: readPerson(operand, operator) };
    case "sender":
    case "from":
      return { kind: "sender", person: readPerson(operand, operator) };
    case "mentions":
      return { kind: "mentions", person: readPerson(operand, operator) };
    case "id":
      return { kind: "id", id: readId(operand, "Invalid message ID") };
    case "with":
      return { kind: "with", id: readId(operand, "Invalid 'with' operator") };
    case "near":
      return undefined;
    case "search":
      return { kind: "search", text: readWords(operand) };
    case "has":
      return { kind: "has", what: oneOf(hasWords, operand, "has") };
    case "is":
      return { kind: "is", what: oneOf(isWords, operand === "private" ? "dm" : operand, "is") };
    case "in":
      return oneOf(["home", "all"], operand, "in") === "home" ? { kind: "home" } : undefined;
    default:
      throw badNarrow(`unknown operator ${operator}`);
  }
}

function oneOf<T extends string>(words: readonly T[], operand: Operand, operator: string): T {
  const word = words.find((known) => known === operand);
  if (word === undefined) throw badNarrow(`unknown '${operator}' operand ${String(operand)}`);
  return word;
}

function textOf(operand: Operand, operator: string): string {
  // PostgreSQL cannot store this character, so no message contains it.
  if (typeof operand !== "string" || operand.includes("\0")) throw badNarrow(`invalid '${operator}' operand`);
  return operand;
}

const readTopic = (name: string): string => (name === emptyTopicDisplayName ? "" : name);

function readWords(operand: Operand): string {
  const text = textOf(operand, "search").trim();
  if (text === "") throw badNarrow("operand of 'search' cannot be blank");
  return text;
}

const readChannel = (operand: Operand): ChannelTarget =>
  typeof operand === "number" ? { id: operand } : { name: textOf(operand, "channel") };

const readPerson = (operand: Operand, operator: string): PersonTarget =>
  typeof operand === "number" ? { id: operand } : { email: textOf(operand, operator).trim() };

function readPeople(operand: Operand): PersonTarget[] {
  if (typeof operand === "string")
    return textOf(operand, "dm")
      .split(",")
      .map((email) => email.trim())
      .filter((email) => email !== "")
      .map((email) => ({ email }));
  return [operand].flat().map((id) => ({ id }));
}

function readId(operand: Operand, refusal: string): number {
  const id = typeof operand === "string" && /^\d{1,15}$/.test(operand) ? Number(operand) : operand;
  if (typeof id !== "number" || id < 0) throw badNarrow(refusal);
  return id;
}

const isAboutChannels = (term: Term): boolean =>
  term.kind === "channel" ||
  term.kind === "channels" ||
  term.kind === "topic" ||
  (term.kind === "is" && ["resolved", "followed", "muted"].includes(term.what));

const isAboutPeople = (term: Term): boolean =>
  term.kind === "dm" ||
  term.kind === "dm-including" ||
  term.kind === "group-dm-with" ||
  (term.kind === "is" && term.what === "dm");

function refuseContradiction(terms: Term[]): void {
  const positive = terms.filter(({ negated }) => !negated);
  if (positive.some(isAboutChannels) && positive.some(isAboutPeople))
    throw badNarrow("No message can be both a channel message and direct message");
}
