/**
 * Lists of messages: a conversation, a channel's feed, starred messages. Each list is known in runs (runs.ts), which grow by
 * pages as the user reads and by new messages. A list belongs to the views that hold it. Of the others, the most recently used
 * are kept for the way back, unless too much arrives in them; what is evicted releases its messages.
 */
import { batch, signal, type Signal } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { getMessages as GetMessages } from "@skein/api/fetch-messages.ts";
import type { ArgumentsOf, Success } from "@skein/api/client.ts";
import { getMessages } from "@skein/api/routes/fetch-messages.ts";
import { call } from "../api/call.ts";
import { matches } from "./matches.ts";
import {
  addMessages,
  confirmedMessage,
  dropUnowned,
  findMessage,
  release,
  retain,
  whileWatching,
  type Message,
} from "./messages.ts";
import { narrowKey, type Narrow } from "./narrow.ts";
import { pending } from "./pending.ts";
import { addArrival, addPage, changedIds, insert, remove, type Runs } from "./runs.ts";
import { ownId } from "./state.ts";

export type Anchor = number | "newest" | "oldest" | "first_unread";

/** HTML with the matches highlighted. */
export interface Match {
  readonly content: string;
  readonly topic: string;
}

export interface MessageList {
  readonly key: string;
  readonly narrow: Narrow;
  /** As shown: what is known, with the user's pending stars. Changed by `setKnown` only. */
  readonly runs: Signal<Runs>;
  known: Runs;
  /** For a search: what was found, by message. Other lists show the same messages without it. */
  readonly matches: Signal<ReadonlyMap<number, Match>>;
  /** Why the last fetch failed; shown with a retry button. */
  readonly failure: Signal<unknown>;
  /** How many views show it. */
  holders: number;
  /** How many messages arrived while no view showed it. */
  unseen: number;
  /** Messages that arrived during a fetch, whose response may be older. */
  arrivals: readonly number[];
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
/** With more new messages than this, a list that nobody shows is fetched again when it is opened. */
const maxUnseen = 200;
const lists = new Map<string, MessageList>();

export function openList(narrow: Narrow): MessageList {
  const key = narrowKey(narrow);
  const known = lists.get(key);
  const list: MessageList = known ?? {
    key,
    narrow,
    runs: signal<Runs>([]),
    known: [],
    matches: signal<ReadonlyMap<number, Match>>(new Map()),
    failure: signal(undefined),
    holders: 0,
    unseen: 0,
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
  list.holders++;
  list.unseen = 0;
  // It may have been evicted since it was opened.
  if (!lists.has(list.key)) lists.set(list.key, list);
  return () => {
    list.holders--;
    forgetOldLists();
  };
}

const isShown = ({ holders }: MessageList): boolean => holders > 0;

function forgetOldLists(): void {
  const surplus = lists.size - maxLists;
  if (surplus <= 0) return;
  const idle = [...lists.values()].filter((list) => !isShown(list) && list.fetches.size === 0);
  for (const list of idle.slice(0, surplus)) forget(list);
}

/** Readers still holding it find it empty, and get a new one when they open it again. */
function forget(list: MessageList): void {
  lists.delete(list.key);
  setKnown(list, []);
  setArrivals(list, []);
}

/** Returns the messages that are no longer in it. */
function setKnown(list: MessageList, runs: Runs): readonly number[] {
  const { added, gone } = changedIds(list.known, runs);
  retain(added);
  release(gone);
  list.known = runs;
  list.runs.value = withStars(list.narrow, runs);
  return gone;
}

function setArrivals(list: MessageList, ids: readonly number[]): void {
  retain(ids);
  release(list.arrivals);
  list.arrivals = ids;
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
    if (list.fetches.size === 0) setArrivals(list, []);
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
    return await whileWatching(
      () =>
        call(getMessages, {
          narrow: [...narrow] as NonNullable<ArgumentsOf<typeof GetMessages>["narrow"]>, // the same type, except for readonly
          anchor: String(anchor),
          num_before: before,
          num_after: after,
          ...presentation,
        }),
      (response, changed) => {
        if (age === askedAt) return addResponse(list, response, changed);
        // Views refetch the lists they show.
        if (list.known.length > 0) return { ids: [], messages: [], anchor: undefined };
        return refetch(list, range);
      },
    );
  } catch (error) {
    list.failure.value = error;
    throw error;
  }
}

function addResponse(list: MessageList, response: Success<typeof GetMessages>, changed: ReadonlySet<number>): Page {
  const { found_oldest: hasOldest, found_newest: hasNewest, found_anchor, anchor } = response;
  const fetched = response.messages.map(({ id }) => id);
  const unknown = fetched.filter((id) => changed.has(id) && !findMessage(id));
  // There may be more of them than messages without an owner are kept.
  retain(fetched);
  const ids = batch(() => {
    const present = addMessages(storeMatches(list, response.messages), changed).filter(
      (id) => !changed.has(id) || belongsTo(list, id) !== false,
    );
    // Nobody shows it any more, and it was evicted.
    if (lists.get(list.key) !== list) return present;
    let runs = addPage(list.isStale ? [] : list.known, { ids: present, hasOldest, hasNewest });
    for (const id of list.arrivals) {
      if (belongsTo(list, id) === false) continue;
      runs = insert(hasNewest ? addArrival(runs, id) : runs, id);
    }
    // What the page does not contain any more may be deleted.
    dropUnowned(setKnown(list, runs));
    list.isStale = false;
    list.failure.value = undefined;
    return present;
  });
  release(fetched);
  if (unknown.length > 0) void fetchMessages(unknown);
  return { ids, messages: response.messages, anchor: found_anchor ? anchor : undefined };
}

/** Undefined when only the server can tell. */
function belongsTo(list: MessageList, id: number): boolean | undefined {
  const message = confirmedMessage(id);
  return message && matches(list.narrow, message, ownId.peek());
}

/** Stores search highlights with the list they were found for. */
function storeMatches(list: MessageList, found: readonly Message[]): readonly Message[] {
  if (!found.some(({ match_content }) => match_content !== undefined)) return found;
  const matched = new Map(list.matches.peek());
  const plain = found.map(({ match_content, match_subject, ...message }) => {
    if (match_content !== undefined) matched.set(message.id, { content: match_content, topic: match_subject ?? "" });
    return message;
  });
  list.matches.value = matched;
  return plain;
}

/** Fetches and stores some messages by id; messages the user may not see are left out. */
export async function fetchMessages(ids: number[]): Promise<Message[]> {
  const askedAt = age;
  return whileWatching(
    () => call(getMessages, { message_ids: ids, ...presentation }),
    ({ messages }, changed) => {
      // Events were missed in the meantime.
      if (age !== askedAt) return fetchMessages(ids);
      batch(() => addMessages(messages, changed));
      return messages;
    },
  );
}

export function applyToLists(event: Event): void {
  switch (event.type) {
    case "message": {
      const message = { ...event.message, flags: event.flags };
      for (const list of lists.values()) {
        if (matches(list.narrow, message, ownId.peek()) !== true) continue;
        if (list.fetches.size > 0) setArrivals(list, [...list.arrivals, message.id]);
        if (!isShown(list) && list.fetches.size === 0 && ++list.unseen > maxUnseen) forget(list);
        else setKnown(list, addArrival(list.known, message.id));
      }
      break;
    }
    case "delete_message": {
      const gone = new Set(event.message_ids);
      for (const list of lists.values()) {
        setKnown(list, remove(list.known, gone));
        setArrivals(
          list,
          list.arrivals.filter((id) => !gone.has(id)),
        );
      }
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
      const belongs = belongsTo(list, id);
      if (belongs === false) gone.add(id);
      else if (belongs === true) {
        runs = insert(runs, id);
        if (list.fetches.size > 0) setArrivals(list, [...list.arrivals, id]);
      } else if (!confirmedMessage(id)) isCertain = false;
    }
    runs = remove(runs, gone);
    // Unknown messages are in lists that nobody fetched; lists on screen are fetched again.
    setKnown(list, isCertain || isShown(list) ? runs : []);
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
      if (!isShown(list)) forget(list);
      list.isStale = true;
      list.fetches = new Map();
      setArrivals(list, []);
    }
    dropUnowned();
  });
}

export const shownLists = (): readonly MessageList[] => [...lists.values()].filter(isShown);
