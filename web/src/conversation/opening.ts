/** Where a list of messages opens: at the position it was left, at a given message, at the first unread message, or at its end. */
import { recall } from "../navigation/router.ts";
import { fetchPage, type MessageList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { newestRun } from "../store/runs.ts";

export type Opening =
  | { at: "newest" }
  | { at: "first unread"; id?: number | undefined }
  | { at: "message"; id: number };

/** A message and its offset from the top of the view, or the end. */
export type Start = { id: number; offset: number; mark?: "new" | "target" | undefined } | "end";

export interface Opened {
  list: MessageList;
  opening: Opening;
  isMixed: boolean;
  /** Resolves a renamed topic at the first fetch. */
  withId?: number | undefined;
}

export const pageSize = 100;
/** Most of what is read next comes after the message that a list opens at. */
const around = { before: 60, after: 150 };

/** The offset of a target message: below the line that marks new messages, and in mixed lists below two bars. */
const offsets = { single: 96, mixed: 144 };

/** The position saved with this history entry by `remember`. */
const leftAt = (list: MessageList): { id: number; offset: number } | undefined =>
  recall(list.key) as { id: number; offset: number } | undefined; // stored by message-window.ts

const hasMessage = (list: MessageList, id: number): boolean => list.runs.peek().some((run) => run.ids.includes(id));

/** Where the list opens, if the messages there are in memory. */
export function startInMemory(opened: Opened): Start | undefined {
  const left = leftAt(opened.list);
  if (left) return hasMessage(opened.list, left.id) ? left : undefined;
  return freshStart(opened);
}

/** The same for a list without a saved position. */
function freshStart(opened: Opened): Start | undefined {
  const { list, opening, withId } = opened;
  const wanted = wantedBy(opening);
  if (wanted !== undefined) return hasMessage(list, wanted) ? startAt(opened, wanted) : undefined;
  // A message known to be in this list was not moved away by a topic rename.
  if (withId !== undefined && !hasMessage(list, withId)) return undefined;
  return opening.at === "newest" && newestRun(list.runs.peek()) ? "end" : undefined;
}

/** Fetches the messages where the list opens. The newest one is returned if it was not opened where it was left. */
export async function fetchStart(opened: Opened): Promise<{ start: Start; newestId?: number | undefined }> {
  const { list, opening, withId } = opened;
  const left = leftAt(list);
  if (left) {
    await fetchPage(list, { anchor: left.id, ...around });
    // It may have been deleted in the meantime; then the list opens as if for the first time.
    const start = hasMessage(list, left.id) ? left : freshStart(opened);
    if (start) return { start };
  }
  const wanted = wantedBy(opening);
  const anchor = wanted ?? (opening.at === "first unread" ? "first_unread" : "newest");
  const range = anchor === "newest" ? { before: pageSize, after: 0 } : around;
  const page = await fetchPage(list, { anchor, ...range, with: withId });
  const id = opening.at === "newest" ? undefined : (page.anchor ?? nearest(page.ids, wanted));
  return { start: startAt(opened, id), newestId: page.ids.at(-1) };
}

const wantedBy = (opening: Opening): number | undefined => (opening.at === "newest" ? undefined : opening.id);

const nearest = (ids: readonly number[], id: number | undefined): number | undefined =>
  id === undefined ? undefined : (ids.find((each) => each >= id) ?? ids.at(-1));

/** Opens at a message, or at the end if there is no such message. */
function startAt({ list, opening, isMixed }: Opened, id: number | undefined): Start {
  if (id === undefined || !hasMessage(list, id)) return "end";
  const isNew = !findMessage(id)?.peek().flags.includes("read");
  return {
    id,
    offset: isMixed ? offsets.mixed : offsets.single,
    mark: opening.at === "message" ? "target" : isNew ? "new" : undefined,
  };
}
