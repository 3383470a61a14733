/**
 * Lists of messages: a conversation, a channel's feed, starred messages. Each list is known in runs (runs.ts), which grow by
 * pages as the user reads and by new messages. The most recently used lists are kept; others are evicted together with
 * their messages.
 */
import { batch, signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { getMessages as GetMessages } from "@skein/api/fetch-messages.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { getMessages } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { matches } from "./matches.ts";
import { addMessages, confirmedMessage, findMessage, keepOnly, whileWatching, type Message } from "./messages.ts";
import { narrowKey, type Narrow } from "./narrow.ts";
import { pending } from "./pending.ts";
import { addArrival, addPage, insert, remove, type Runs } from "./runs.ts";
import { ownId } from "./state.ts";

export type Anchor = number | "newest" | "oldest" | "first_unread";

export interface MessageList {
  readonly key: string;
  readonly narrow: Narrow;
  /** As shown: what is known, with the user's pending stars. Changed by `setKnown` only. */
  readonly runs: Signal<Runs>;
  known: Runs;
  /** For a search: HTML with the matches highlighted, by message. Other lists show the same messages without it. */
  readonly matches: Signal<ReadonlyMap<number, string>>;
  /** Why the last fetch failed; shown with a retry button. */
  readonly failure: Signal<unknown>;
  /** Messages that arrived during a fetch, whose response may end before them. */
  arrivals: number[];
  fetches: Map<string, Promise<Page>>;
  /** Events were missed: the next page fetched replaces everything known. */
  isStale: boolean;
}

export interface Page {
  ids: number[];
  messages: Message[];
  /** The message the anchor resolved to. */
  anchor: number | undefined;
}

const maxLists = 30;
const lists = new Map<string, MessageList>();
/** Lists on screen, which are never evicted. */
const shown = new Set<MessageList>();

export function openList(narrow: Narrow): MessageList {
  const key = narrowKey(narrow);
  const known = lists.get(key);
  const list: MessageList = known ?? {
    key,
    narrow,
    runs: signal<Runs>([]),
    known: [],
    matches: signal<ReadonlyMap<number, string>>(new Map()),
    failure: signal(undefined),
    arrivals: [],
    fetches: new Map(),
    isStale: false,
  };
  // A Map keeps insertion order: the most recently used list goes last.
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
  const surplus = lists.size - maxLists;
  if (surplus <= 0) return;
  const idle = [...lists.values()].filter((list) => !shown.has(list) && list.fetches.size === 0);
  for (const list of idle.slice(0, surplus)) forget(list);
  keepListed();
}

/** Readers still holding it find it empty, and get a new one when they open it again. */
function forget(list: MessageList): void {
  lists.delete(list.key);
  setKnown(list, []);
}

function setKnown(list: MessageList, runs: Runs): void {
  list.known = runs;
  list.runs.value = withStars(list.narrow, runs);
}

/** The runs with the pending stars: a message may come into a list of starred messages, or go. */
function withStars(narrow: Narrow, known: Runs): Runs {
  let runs = known;
  for (const { event } of pending.peek()) {
    if (event.type !== "update_message_flags" || event.flag !== "starred") continue;
    for (const id of event.messages) {
      const message = findMessage(id)?.peek();
      const belongs = message && matches(narrow, message, ownId.peek());
      if (belongs === true) runs = insert(runs, id);
      else if (belongs === false) runs = remove(runs, new Set([id]));
    }
  }
  return runs;
}

/** Shows lists again after the pending stars have changed. */
export function showPendingInLists(): void {
  for (const list of lists.values()) setKnown(list, list.known);
}

const keepListed = (): void =>
  keepOnly(new Set([...lists.values()].flatMap((list) => list.known.flatMap((run) => run.ids))));

interface Range {
  anchor: Anchor;
  before: number;
  after: number;
  /** Resolves a renamed topic to the one that this message is in now. */
  with?: number | undefined;
}

/** Fetches a page of the list. Concurrent requests for the same page share one fetch. */
export function fetchPage(list: MessageList, range: Range): Promise<Page> {
  const name = JSON.stringify(range);
  const inFlight = list.fetches.get(name);
  if (inFlight) return inFlight;
  const page = refetch(list, range).finally(() => {
    if (list.fetches.get(name) !== page) return;
    list.fetches.delete(name);
    if (list.fetches.size === 0) list.arrivals = [];
  });
  list.fetches.set(name, page);
  return page;
}

const presentation = { client_gravatar: false, apply_markdown: true, allow_empty_topic_name: true } as const;

/** Incremented when all lists are invalidated: a response in flight may be older than the events that were missed. */
let age = 0;

async function refetch(list: MessageList, range: Range): Promise<Page> {
  const { anchor, before, after, with: withId } = range;
  const askedAt = age;
  const narrow = withId === undefined ? list.narrow : [...list.narrow, { operator: "with", operand: withId }];
  try {
    const { response, stale } = await whileWatching(() =>
      call(getMessages, {
        narrow: [...narrow] as NonNullable<ArgumentsOf<typeof GetMessages>["narrow"]>, // the same type, except for readonly
        anchor: String(anchor),
        num_before: before,
        num_after: after,
        ...presentation,
      }),
    );
    if (age !== askedAt) {
      // Views refetch the lists they show.
      if (list.runs.peek().length > 0) return { ids: [], messages: [], anchor: undefined };
      return await refetch(list, range);
    }
    const changed = response.messages.filter(({ id }) => stale.has(id) && !findMessage(id)).map(({ id }) => id);
    const ids = batch(() => {
      const present = addMessages(storeMatches(list, response.messages));
      let runs = addPage(list.isStale ? [] : list.known, {
        ids: present,
        hasOldest: response.found_oldest,
        hasNewest: response.found_newest,
      });
      if (response.found_newest) for (const id of list.arrivals) runs = addArrival(runs, id);
      setKnown(list, runs);
      if (list.isStale) {
        list.isStale = false;
        keepListed();
      }
      list.failure.value = undefined;
      return present;
    });
    if (changed.length > 0) void fetchMessages(changed);
    return { ids, messages: response.messages, anchor: response.found_anchor ? response.anchor : undefined };
  } catch (error) {
    list.failure.value = error;
    throw error;
  }
}

/** Stores search highlights with the list they were found for. */
function storeMatches(list: MessageList, found: readonly Message[]): readonly Message[] {
  if (!found.some(({ match_content }) => match_content !== undefined)) return found;
  const matched = new Map(list.matches.peek());
  const plain = found.map(({ match_content, match_subject: _topic, ...message }) => {
    if (match_content !== undefined) matched.set(message.id, match_content);
    return message;
  });
  list.matches.value = matched;
  return plain;
}

/** Fetches and stores some messages by id; messages the user may not see are left out. */
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
        setKnown(list, addArrival(list.known, message.id));
      }
      break;
    }
    case "delete_message": {
      const gone = new Set(event.message_ids);
      for (const list of lists.values()) setKnown(list, remove(list.known, gone));
      break;
    }
    case "update_message":
      if (event.orig_subject !== undefined) reassign(event.message_ids);
      break;
    case "update_message_flags":
      if (event.flag === "starred") reassign(event.messages);
      break;
    default:
  }
}

/** Messages that may belong to other lists now. A list that would need a message that is not in memory starts over. */
function reassign(ids: readonly number[]): void {
  for (const list of lists.values()) {
    let runs = list.known;
    const gone = new Set<number>();
    let isCertain = true;
    for (const id of ids) {
      const message = confirmedMessage(id);
      const belongs = message && matches(list.narrow, message, ownId.peek());
      if (belongs === false) gone.add(id);
      else if (belongs === true) runs = insert(runs, id);
      else if (!message) isCertain = false;
    }
    runs = remove(runs, gone);
    // Unknown messages are in lists that nobody fetched; lists on screen are fetched again.
    setKnown(list, isCertain || shown.has(list) ? runs : []);
  }
}

/**
 * Events were missed. Lists on screen stay there until they are fetched again; everything else is dropped, since messages
 * may have been deleted, moved or changed.
 */
export function invalidateLists(): void {
  age++;
  batch(() => {
    for (const list of lists.values()) {
      if (!shown.has(list)) forget(list);
      list.isStale = true;
      list.fetches = new Map();
      list.arrivals = [];
    }
    keepListed();
  });
}

export const shownLists = (): readonly MessageList[] => [...shown];
