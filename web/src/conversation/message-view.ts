/** What a row needs to know about its list. */
import { createContext } from "preact";
import type { Seen } from "./seen.ts";

export interface MessageView {
  /** Whether the list mixes conversations, so that rows name theirs. */
  isMixed: boolean;
  /** The first unread message at the time the list was opened. */
  newFromId: number | undefined;
  /** Highlighted once. */
  targetId: number | undefined;
  /** Search results as HTML with the matches highlighted, by message. */
  matches: ReadonlyMap<number, string> | undefined;
  /** Undefined where scrolling marks nothing as read. */
  seen: Seen | undefined;
}

export const MessageViewContext = createContext<MessageView>({
  isMixed: false,
  newFromId: undefined,
  targetId: undefined,
  matches: undefined,
  seen: undefined,
});
