/** What a row needs to know of the list it stands in. */
import { createContext } from "preact";
import type { Seen } from "./seen.ts";

export interface MessageView {
  /** Rows name their conversation where there are several. */
  isMixed: boolean;
  /** The first message that was new when the list was opened. */
  newFromId: number | undefined;
  /** Lit up once. */
  targetId: number | undefined;
  /** What a search found in them, as HTML with the words marked, by message. */
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
