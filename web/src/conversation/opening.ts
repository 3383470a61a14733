/** Where a list of messages opens: where one left it, at a message, at what is new, or at its end. */
import { recall } from "../app/router.ts";
import type { MessageList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { newestRun } from "../store/runs.ts";

export type Opening =
  | { at: "newest" }
  | { at: "first unread"; id?: number | undefined }
  | { at: "message"; id: number };

/** A message and how far below the top of the view it stands, or the end. */
export type Start = { id: number; offset: number; mark?: "new" | "target" | undefined } | "end";

export interface Opened {
  list: MessageList;
  opening: Opening;
  isMixed: boolean;
  /** Resolves a renamed topic at the first fetch. */
  withId?: number | undefined;
}

/** Where the message one comes to stands: below the line that says what is new, and in mixed lists below two bars. */
const offsets = { single: 96, mixed: 144 };

/** What one was looking at under this entry of the history, as `remember` was given it. */
export const leftAt = (list: MessageList): { id: number; offset: number } | undefined =>
  recall(list.key) as { id: number; offset: number } | undefined; // by message-list.tsx

export const hasMessage = (list: MessageList, id: number): boolean =>
  list.runs.peek().some((run) => run.ids.includes(id));

/** Where it opens, if what is shown there is in memory. */
export function startInMemory(opened: Opened): Start | undefined {
  const left = leftAt(opened.list);
  if (left) return hasMessage(opened.list, left.id) ? left : undefined;
  return startAnew(opened);
}

/** The same for one that was not left here. */
export function startAnew(opened: Opened): Start | undefined {
  const { list, opening, withId } = opened;
  const wanted = wantedBy(opening);
  if (wanted !== undefined) return hasMessage(list, wanted) ? startAt(opened, wanted) : undefined;
  // A message that is known to be here was not moved with a renamed topic.
  if (withId !== undefined && !hasMessage(list, withId)) return undefined;
  return opening.at === "newest" && newestRun(list.runs.peek()) ? "end" : undefined;
}

export const wantedBy = (opening: Opening): number | undefined => (opening.at === "newest" ? undefined : opening.id);

/** At a message, once what the server has of the list is known; at the end when there is no such message. */
export function startAt({ list, opening, isMixed }: Opened, id: number | undefined): Start {
  if (id === undefined || !hasMessage(list, id)) return "end";
  const isNew = !findMessage(id)?.peek().flags.includes("read");
  return {
    id,
    offset: isMixed ? offsets.mixed : offsets.single,
    mark: opening.at === "message" ? "target" : isNew ? "new" : undefined,
  };
}
