/** Search filters: their names, possible values, and how each is shown. */
import "../text/chunks/search.ts";
import { channelsById, emptyTopicName, findChannel } from "../store/channels.ts";
import type { Narrow, Term } from "../store/narrow.ts";
import { findPerson, peopleById } from "../store/people.ts";
import { listNames } from "../text/names.ts";
import { t, type TextKey } from "../text/t.ts";
import type { IconName } from "../ui/icon.tsx";

export const operators = ["channel", "topic", "sender", "dm", "dm-including", "has", "is", "channels"] as const;
export type Operator = (typeof operators)[number];

export const hasOperands = ["link", "image", "attachment", "reaction"] as const;
export const isOperands = ["starred", "mentioned", "unread", "dm", "followed", "resolved", "alerted"] as const;

export const operatorIcons: Record<Operator, IconName> = {
  channel: "hash",
  topic: "message-square",
  sender: "user",
  dm: "message-circle",
  "dm-including": "users",
  has: "paperclip",
  is: "check",
  channels: "globe",
};

export const hintOf = (operator: Operator): string => t(`search.hint.${operator}` satisfies TextKey);

/** Parses input that begins with a filter: `-sender:ad`. */
export interface TypedFilter {
  operator: Operator;
  value: string;
  isNegated: boolean;
}

const typed = /^(-?)([a-z-]+):(.*)$/i;

/** Synonyms used by other clients. */
const otherWords: Record<string, Operator> = { stream: "channel", from: "sender", in: "channel", subject: "topic" };

export function readFilter(text: string): TypedFilter | undefined {
  const [, minus = "", word = "", value = ""] = typed.exec(text.trimStart()) ?? [];
  const known = otherWords[word.toLowerCase()] ?? word.toLowerCase();
  const operator = operators.find((each) => each === known);
  return operator && { operator, value: value.trim(), isNegated: minus !== "" };
}

/** A term as a chip shows it: `sender: Ada`. */
export function describeTerm({ operator, operand, negated }: Term): string {
  return `${negated ? "-" : ""}${operator}: ${operandText(operator, operand)}`;
}

function operandText(operator: string, operand: Term["operand"]): string {
  if (operator === "channel" && typeof operand === "number") return findChannel(operand)?.name ?? t("channel.unknown");
  if (Array.isArray(operand)) return listNames(operand.map(nameOf));
  if (operator === "sender") return nameOf(typeof operand === "number" ? operand : idOfAddress(operand));
  if (operator === "topic" && operand === "") return emptyTopicName.value;
  return String(operand);
}

const nameOf = (id: number | undefined): string =>
  (id === undefined ? "" : findPerson(id).full_name) || t("person.unknown");

/** Addresses identify people by id or by e-mail address. */
function idOfAddress(text: string): number | undefined {
  const id = Number(text);
  if (Number.isInteger(id)) return id;
  for (const person of peopleById.value.values())
    if (person.email === text || person.delivery_email === text) return person.user_id;
  return undefined;
}

/** Whether there are messages to search beyond those the reader received. */
export const canWiden = (narrow: Narrow): boolean =>
  !narrow.some(
    ({ operator, operand }) =>
      operator === "channel" ||
      operator === "channels" ||
      operator.startsWith("dm") ||
      operand === "dm" ||
      operator === "is",
  ) && channelsById.value.size > 0;

export const widened = (narrow: Narrow): Narrow => [{ operator: "channels", operand: "public" }, ...narrow];
