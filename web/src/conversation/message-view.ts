/** What a row needs to know about its list. */
import { createContext } from "preact";
import type { Match } from "../store/lists.ts";
import type { Seen } from "./seen.ts";

export interface MessageView {
  /** Whether the list mixes conversations, so that rows name theirs. */
  isMixed: boolean;
  /** The first unread message at the time the list was opened. */
  newFromId: number | undefined;
  /** Highlighted once. */
  targetId: number | undefined;
  /** For a search: what was found, by message. */
  matches: ReadonlyMap<number, Match> | undefined;
  /** Whether times have dates, because messages far apart are next to each other. */
  showsDates: boolean;
  /** Undefined where scrolling marks nothing as read. */
  seen: Seen | undefined;
}

export const MessageViewContext = createContext<MessageView>({
  isMixed: false,
  newFromId: undefined,
  targetId: undefined,
  matches: undefined,
  showsDates: false,
  seen: undefined,
});
