/** Which stretch of messages a client asks for. */
import { maxFetchedMessages, newestAnchor } from "@skein/api/fetch-messages.ts";
import { ApiError, missingParameter } from "../../errors.ts";

export interface Range {
  /** `first_unread`: the database finds out. */
  anchor: number | "first_unread";
  before: number;
  after: number;
  /** Whether the message at the anchor belongs to it. */
  isAnchorIn: boolean;
}

interface Asked {
  anchor?: string | undefined;
  use_first_unread_anchor?: boolean | undefined;
  include_anchor?: boolean | undefined;
  num_before?: number | undefined;
  num_after?: number | undefined;
}

export function readRange(asked: Asked): Range {
  const { num_before: before = 0, num_after: after = 0, include_anchor = true } = asked;
  const anchor = readAnchor(asked);
  if (before > 0 && after > 0 && !include_anchor)
    throw new ApiError("The anchor can only be excluded at an end of the range");
  // Nothing to either side: somebody wants the one message.
  return { anchor, before, after, isAnchorIn: include_anchor || before + after === 0 };
}

export const tooManyMessages = (): ApiError =>
  new ApiError(`Too many messages requested (maximum ${maxFetchedMessages}).`);

function readAnchor({ anchor, use_first_unread_anchor: isFirstUnread = false }: Asked): Range["anchor"] {
  if (isFirstUnread) return "first_unread";
  if (anchor === undefined) throw missingParameter("anchor");
  const text = anchor.trim();
  switch (text) {
    case "newest":
      return newestAnchor;
    case "oldest":
      return 0;
    case "first_unread":
      return text;
    default:
      if (!/^[-+]?\d+$/.test(text)) throw new ApiError("Invalid anchor");
      return Math.min(Math.max(Number(text), 0), newestAnchor);
  }
}

export interface Stretch {
  ids: number[];
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
}

/** The ids of the range among some around it, ascending; an end was found where fewer came than were asked for. */
export function cut(ids: number[], anchor: number, { before, after, isAnchorIn }: Range): Stretch {
  const isNewest = anchor >= newestAnchor;
  const earlier = ids.filter((id) => id < anchor);
  const later = ids.filter((id) => id > anchor);
  const at = isAnchorIn ? ids.filter((id) => id === anchor) : [];
  const kept = [before > 0 ? earlier.slice(-before) : [], at, later.slice(0, after)].flat();
  return {
    ids: kept,
    found_anchor: at.length > 0,
    found_oldest: anchor === 0 || earlier.length < before,
    found_newest: isNewest || later.length < after,
  };
}

/** The range with at most so many messages beside the anchor; those before it have precedence. */
export function shortened(range: Range, most: number): Range {
  const before = Math.min(range.before, most);
  return { ...range, before, after: Math.min(range.after, most - before) };
}
