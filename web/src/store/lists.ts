/**
 * Lists of messages: a conversation, a channel's feed, the starred ones. Each is known in runs (runs.ts) that grow by
 * pages as one reads and by what arrives. The most recently used lists are kept; the others are forgotten together with
 * their messages.
 */
import { batch, signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { getMessages as GetMessages } from "@skein/api/fetch-messages.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { getMessages } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { matches } from "./matches.ts";
import { addMessages, findMessage, keepOnly, whileWatching, type Message } from "./messages.ts";
import { narrowKey, type Narrow } from "./narrow.ts";
import { addArrival, addPage, insert, openNewest, remove, type Runs } from "./runs.ts";
import { ownId } from "./state.ts";

export type Anchor = number | "newest" | "oldest" | "first_unread";

export interface MessageList {
  readonly key: string;
  readonly narrow: Narrow;
  readonly runs: Signal<Runs>;
  /** Of a search: the HTML with the words marked, by message. Elsewhere the same messages show none of it. */
  readonly matches: Signal<ReadonlyMap<number, string>>;
  /** Why the last fetch failed; shown with a way to try again. */
  readonly failure: Signal<unknown>;
  /** What came while an answer was on its way, which may end before it. */
  arrivals: number[];
  fetches: Map<string, Promise<Page>>;
}

export interface Page {
  ids: number[];
  messages: Message[];
  /** The message the anchor stands for. */
  anchor: number | undefined;
}

const keptLists = 30;
const lists = new Map<string, MessageList>();
/** Shown on the page: never forgotten. */
const shown = new Set<MessageList>();

export function openList(narrow: Narrow): MessageList {
  const key = narrowKey(narrow);
  const known = lists.get(key);
  const list: MessageList = known ?? {
    key,
    narrow,
    runs: signal<Runs>([]),
    matches: signal<ReadonlyMap<number, string>>(new Map()),
    failure: signal(undefined),
    arrivals: [],
    fetches: new Map(),
  };
  // A Map keeps the order of insertion: the list used last goes last.
  lists.delete(key);
  lists.set(key, list);
  return list;
}

/** Keeps a list while it is on screen. */
export function hold(list: MessageList): () => void {
  shown.add(list);
  return () => {
    shown.delete(list);
    forgetOldLists();
  };
}

function forgetOldLists(): void {
  const surplus = lists.size - keptLists;
  if (surplus <= 0) return;
  const idle = [...lists.values()].filter((list) => !shown.has(list) && list.fetches.size === 0);
  for (const list of idle.slice(0, surplus)) lists.delete(list.key);
  keepOnly(new Set([...lists.values()].flatMap((list) => list.runs.peek().flatMap((run) => run.ids))));
}

interface Range {
  anchor: Anchor;
  before: number;
  after: number;
  /** Resolves a topic that was renamed: the one this message is in now. */
  with?: number | undefined;
}

/** Gets a stretch of the list. The same stretch asked for twice at once is fetched once. */
export function fetchPage(list: MessageList, range: Range): Promise<Page> {
  const name = JSON.stringify(range);
  const underWay = list.fetches.get(name);
  if (underWay) return underWay;
  const page = fetchAnew(list, range).finally(() => {
    list.fetches.delete(name);
    if (list.fetches.size === 0) list.arrivals = [];
  });
  list.fetches.set(name, page);
  return page;
}

const presentation = { client_gravatar: false, apply_markdown: true, allow_empty_topic_name: true } as const;

async function fetchAnew(list: MessageList, { anchor, before, after, with: withId }: Range): Promise<Page> {
  const narrow = withId === undefined ? list.narrow : [...list.narrow, { operator: "with", operand: withId }];
  try {
    const { answer, stale } = await whileWatching(() =>
      call(getMessages, {
        narrow: [...narrow] as NonNullable<ArgumentsOf<typeof GetMessages>["narrow"]>, // the same, but for readonly
        anchor: String(anchor),
        num_before: before,
        num_after: after,
        ...presentation,
      }),
    );
    const changed = answer.messages.filter(({ id }) => stale.has(id) && !findMessage(id)).map(({ id }) => id);
    const ids = batch(() => {
      const present = addMessages(takeMatches(list, answer.messages));
      let runs = addPage(list.runs.peek(), {
        ids: present,
        hasOldest: answer.found_oldest,
        hasNewest: answer.found_newest,
      });
      if (answer.found_newest) for (const id of list.arrivals) runs = addArrival(runs, id);
      list.runs.value = runs;
      list.failure.value = undefined;
      return present;
    });
    if (changed.length > 0) void fetchMessages(changed);
    return { ids, messages: answer.messages, anchor: answer.found_anchor ? answer.anchor : undefined };
  } catch (error) {
    list.failure.value = error;
    throw error;
  }
}

/** Keeps what was found with the list it was found for. */
function takeMatches(list: MessageList, found: readonly Message[]): readonly Message[] {
  if (!found.some(({ match_content }) => match_content !== undefined)) return found;
  const matched = new Map(list.matches.peek());
  const plain = found.map(({ match_content, match_subject: _topic, ...message }) => {
    if (match_content !== undefined) matched.set(message.id, match_content);
    return message;
  });
  list.matches.value = matched;
  return plain;
}

/** Some messages by their ids, taken in; those the reader may not see are left out. */
export async function fetchMessages(ids: number[]): Promise<Message[]> {
  const { messages } = await call(getMessages, { message_ids: ids, ...presentation });
  addMessages(messages);
  return messages;
}

export function applyToLists(event: Event): void {
  switch (event.type) {
    case "message": {
      const message = { ...event.message, flags: event.flags };
      for (const list of lists.values()) {
        if (matches(list.narrow, message, ownId.peek()) !== true) continue;
        if (list.fetches.size > 0) list.arrivals.push(message.id);
        list.runs.value = addArrival(list.runs.peek(), message.id);
      }
      break;
    }
    case "delete_message": {
      const gone = new Set(event.message_ids);
      for (const list of lists.values()) list.runs.value = remove(list.runs.peek(), gone);
      break;
    }
    case "update_message":
      if (event.orig_subject !== undefined) sortIn(event.message_ids);
      break;
    case "update_message_flags":
      if (event.flag === "starred") sortIn(event.messages);
      break;
    default:
  }
}

/** Messages that may belong elsewhere now. A list that would need one nobody has begins anew. */
function sortIn(ids: readonly number[]): void {
  for (const list of lists.values()) {
    let runs = list.runs.peek();
    const gone = new Set<number>();
    let isCertain = true;
    for (const id of ids) {
      const message = findMessage(id)?.peek();
      const belongs = message && matches(list.narrow, message, ownId.peek());
      if (belongs === false) gone.add(id);
      else if (belongs === true) runs = insert(runs, id);
      else if (!message) isCertain = false;
    }
    runs = remove(runs, gone);
    // What is not known lies in the lists that nobody fetched it for; those on screen are fetched anew.
    list.runs.value = isCertain || shown.has(list) ? runs : [];
  }
}

/** Nobody listened for a while: lists on screen have an open end again, the others begin anew. */
export function distrustLists(): void {
  batch(() => {
    for (const list of lists.values()) {
      if (shown.has(list)) list.runs.value = openNewest(list.runs.peek());
      else lists.delete(list.key);
    }
  });
}

export const shownLists = (): readonly MessageList[] => [...shown];
