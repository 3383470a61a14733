/**
 * Places in the client. Each has an address, a fragment in the syntax other clients use, and nothing else decides what is on
 * screen. Older syntax is parsed but never written.
 */
import {
  directConversation,
  topicConversation,
  type Conversation,
  type DirectConversation,
} from "../store/conversations.ts";
import type { Narrow, Term } from "../store/narrow.ts";
import { decodeHash, encodeHash } from "./hash-encoding.ts";

export type InboxTab = "unread" | "recent" | "followed";
export type ChannelTab = "topics" | "feed";

export type Place =
  | { kind: "inbox"; tab: InboxTab }
  | {
      kind: "conversation";
      conversation: Conversation;
      /** Opens at this message. */
      near?: number;
      /** Follow the topic that this message is in now. */
      with?: number;
    }
  | { kind: "channel"; channelId: number; tab: ChannelTab; near?: number }
  /** Messages from several conversations: search, mentions, starred, all messages. */
  | { kind: "messages"; narrow: Narrow; near?: number }
  | { kind: "drafts" }
  | { kind: "scheduled" }
  /** Lists for narrow screens, which have no sidebar. */
  | { kind: "channels" }
  | { kind: "direct-messages" }
  /** Without a section: the list of sections on a narrow screen, otherwise the first section. With a setting: goes to it. */
  | { kind: "channel-settings"; channelId: number; section: string; item?: string }
  | { kind: "settings"; section: string; item?: string }
  | { kind: "organization"; section: string; item?: string }
  | { kind: "user"; userId: number }
  | { kind: "unknown"; fragment: string };

/** What addresses need from the organization: names for readability, and ids for old links. */
export interface Names {
  ownId: number;
  channelName: (id: number) => string | undefined;
  channelId: (name: string) => number | undefined;
  personName: (id: number) => string | undefined;
}

const olderWords: Record<string, string> = {
  stream: "channel",
  streams: "channels",
  subject: "topic",
  "pm-with": "dm",
  "group-pm-with": "dm-including",
};

const inboxTabs: Record<InboxTab, string> = { unread: "inbox", recent: "recent", followed: "inbox/followed" };

export function formatPlace(place: Place, names: Names): string {
  switch (place.kind) {
    case "inbox":
      return `#${inboxTabs[place.tab]}`;
    case "conversation":
      return formatNarrow([...conversationTerms(place.conversation, names), ...ending(place)], names);
    case "channel":
      if (place.tab === "topics") return `#topics/channel/${channelOperand(place.channelId, names)}`;
      return formatNarrow([{ operator: "channel", operand: place.channelId }, ...ending(place)], names);
    case "messages":
      if (place.narrow.length === 0) return place.near === undefined ? "#feed" : `#narrow/near/${place.near}`;
      return formatNarrow([...place.narrow, ...ending(place)], names);
    case "drafts":
    case "scheduled":
    case "channels":
    case "direct-messages":
      return `#${place.kind}`;
    case "channel-settings":
      return `#channels/${place.channelId}/${slug(names.channelName(place.channelId))}${sectionEnd(place)}`;
    case "settings":
    case "organization":
      return `#${place.kind}${sectionEnd(place)}`;
    case "user":
      return `#user/${place.userId}`;
    case "unknown":
      return `#${place.fragment}`;
  }
}

const sectionEnd = ({ section, item }: { section: string; item?: string }): string =>
  [section, item].map((part) => (part === undefined || part === "" ? "" : `/${encodeHash(part)}`)).join("");

const ending = ({ near, with: withId }: { near?: number; with?: number }): Term[] => {
  if (near !== undefined) return [{ operator: "near", operand: near }];
  return withId === undefined ? [] : [{ operator: "with", operand: withId }];
};

const conversationTerms = (conversation: Conversation, { ownId }: Names): Term[] =>
  conversation.kind === "topic"
    ? [
        { operator: "channel", operand: conversation.channelId },
        { operator: "topic", operand: conversation.topic },
      ]
    : [{ operator: "dm", operand: conversation.userIds.length === 0 ? [ownId] : [...conversation.userIds] }];

export const formatNarrow = (narrow: Narrow, names: Names): string =>
  `#narrow/${narrow
    .map(
      ({ operator, operand, negated }) => `${negated ? "-" : ""}${operator}/${operandText(operator, operand, names)}`,
    )
    .join("/")}`;

function operandText(operator: string, operand: Term["operand"], names: Names): string {
  if (operator === "channel" && typeof operand === "number") return channelOperand(operand, names);
  if (Array.isArray(operand)) return peopleOperand(operand, names);
  return encodeHash(String(operand));
}

const slug = (name: string | undefined): string => encodeHash((name ?? "").replaceAll(/[\s/]+/g, "-"));

function channelOperand(id: number, names: Names): string {
  const name = slug(names.channelName(id));
  return name === "" ? String(id) : `${id}-${name}`;
}

function peopleOperand(ids: number[], names: Names): string {
  const [first] = ids;
  if (first === undefined) return "";
  const name = ids.length > 1 ? "group" : slug(names.personName(first));
  return name === "" ? ids.join() : `${ids.join()}-${name}`;
}

const tabOfInbox = (rest: string[]): InboxTab => (rest[0] === "followed" ? "followed" : "unread");

export function parsePlace(fragment: string, names: Names): Place {
  const text = fragment.replace(/^#/, "");
  const [head = "", ...rest] = text.split("/");
  switch (head) {
    case "":
    case "inbox":
      return { kind: "inbox", tab: tabOfInbox(rest) };
    case "recent":
    case "recent_topics":
      return { kind: "inbox", tab: "recent" };
    case "feed":
    case "all_messages":
      return { kind: "messages", narrow: [] };
    case "drafts":
    case "scheduled":
    case "direct-messages":
      return { kind: head };
    case "narrow":
      return placeOfNarrow(text, rest, names);
    case "topics": {
      const channelId = channelIdOf(rest[1] ?? "", names);
      return channelId === undefined ? unknown(text) : { kind: "channel", channelId, tab: "topics" };
    }
    case "channels":
    case "streams": {
      const id = numberOf(rest[0]);
      if (id === undefined) return { kind: "channels" };
      return { kind: "channel-settings", channelId: id, ...sectionOf(rest.slice(2)) };
    }
    case "settings":
    case "organization":
      return { kind: head, ...sectionOf(rest) };
    case "user": {
      const userId = numberOf(rest[0]);
      return userId === undefined ? unknown(text) : { kind: "user", userId };
    }
    default:
      return unknown(text);
  }
}

function sectionOf([section = "", item]: string[]): { section: string; item?: string } {
  const name = item === undefined ? undefined : decodeHash(item);
  return { section: decodeHash(section) ?? "", ...(name === undefined || name === "" ? {} : { item: name }) };
}

const unknown = (fragment: string): Place => ({ kind: "unknown", fragment });

const numberOf = (text: string | undefined): number | undefined => {
  const id = Number(/^(\d{1,15})(?:-|$)/.exec(text ?? "")?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
};

const channelIdOf = (text: string, names: Names): number | undefined =>
  numberOf(text) ?? names.channelId(decodeHash(text) ?? "");

function placeOfNarrow(text: string, segments: string[], names: Names): Place {
  const narrow = parseNarrow(segments, names);
  if (narrow === undefined) return unknown(text);
  const near = idOf(narrow, "near");
  const withId = idOf(narrow, "with");
  const terms = narrow.filter(({ operator }) => operator !== "near" && operator !== "with");
  const at = near === undefined ? {} : { near };
  const [first, second, third] = terms;
  if (first === undefined) return { kind: "messages", narrow: [], ...at };
  if (terms.some((term) => term.negated) || third !== undefined) return { kind: "messages", narrow: terms, ...at };
  if (first.operator === "channel" && typeof first.operand === "number") {
    const channelId = first.operand;
    if (second === undefined) return { kind: "channel", channelId, tab: "feed", ...at };
    if (second.operator === "topic") {
      const conversation = topicConversation(channelId, String(second.operand));
      return { kind: "conversation", conversation, ...at, ...(withId === undefined ? {} : { with: withId }) };
    }
  }
  if (first.operator === "dm" && second === undefined && Array.isArray(first.operand)) {
    const conversation: DirectConversation = directConversation(first.operand, names.ownId);
    return { kind: "conversation", conversation, ...at };
  }
  return { kind: "messages", narrow: terms, ...at };
}

const idOf = (narrow: Narrow, operator: string): number | undefined => {
  const operand = narrow.find((term) => term.operator === operator)?.operand;
  return typeof operand === "number" ? operand : undefined;
};

/** Undefined if it is not a narrow at all. */
export function parseNarrow(segments: string[], names: Names): Term[] | undefined {
  const terms: Term[] = [];
  for (let index = 0; index + 1 < segments.length; index += 2) {
    const written = decodeHash(segments[index] ?? "");
    const raw = segments[index + 1] ?? "";
    if (written === undefined) return undefined;
    const negated = written.startsWith("-");
    const word = negated ? written.slice(1) : written;
    const operator = olderWords[word] ?? word;
    const operand = parseOperand(operator, raw, names);
    if (operand === undefined) return undefined;
    terms.push({ operator, operand, ...(negated ? { negated } : {}) });
  }
  return terms;
}

function parseOperand(operator: string, raw: string, names: Names): Term["operand"] | undefined {
  switch (operator) {
    case "channel":
      return channelIdOf(raw, names) ?? decodeHash(raw);
    case "dm":
    case "dm-including": {
      const ids = /^(\d{1,15}(?:,\d{1,15})*)(?:-|$)/.exec(raw)?.[1];
      return ids === undefined ? decodeHash(raw) : ids.split(",").map(Number);
    }
    case "sender": {
      const text = decodeHash(raw);
      if (text === "me") return names.ownId;
      const id = /^(\d{1,15})(?:-[^@]*)?$/.exec(text ?? "")?.[1];
      return id === undefined ? text : Number(id);
    }
    case "near":
    case "with":
    case "id":
      return numberOf(raw);
    default:
      return decodeHash(raw);
  }
}
