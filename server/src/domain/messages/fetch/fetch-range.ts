/** Which range of messages a client requests. */
import { maxFetchedMessages, newestAnchor } from "@skein/api/fetch-messages.ts";
import { ApiError, missingParameter } from "../../../errors.ts";

/** The first message that was sent at this time or later, or the newest. */
export interface Since {
  since: Date;
}

export interface Range {
  /** `first_unread` and the first message since a time are resolved by the database. */
  anchor: number | "first_unread" | Since;
  before: number;
  after: number;
  /** Whether the message at the anchor is part of the range. */
  isAnchorIn: boolean;
}

interface RangeParams {
  anchor?: string | undefined;
  /** Missing where a time cannot be the anchor. */
  anchor_date?: { given: string | undefined };
  use_first_unread_anchor?: boolean | undefined;
  include_anchor?: boolean | undefined;
  num_before?: number | undefined;
  num_after?: number | undefined;
}

export function readRange(params: RangeParams): Range {
  const { num_before: before = 0, num_after: after = 0, include_anchor = true } = params;
  const anchor = readAnchor(params);
  if (before > 0 && after > 0 && !include_anchor)
    throw new ApiError("The anchor can only be excluded at an end of the range");
  // With nothing to either side, the request is for that one message.
  return { anchor, before, after, isAnchorIn: include_anchor || before + after === 0 };
}

export const tooManyMessages = (): ApiError =>
  new ApiError(`Too many messages requested (maximum ${maxFetchedMessages}).`);

/** Clients' documentation says to ask for the newest messages with it. No message has this id: see 0041-imports.sql. */
const documentedAsNewest = 1_000_000_000;

function readAnchor({
  anchor,
  anchor_date: date,
  use_first_unread_anchor: isFirstUnread = false,
}: RangeParams): Range["anchor"] {
  if (isFirstUnread) return "first_unread";
  if (anchor === undefined) throw missingParameter("anchor");
  const text = anchor.trim();
  if (text === "date" && date) return { since: readDate(date.given) };
  switch (text) {
    case "newest":
      return newestAnchor;
    case "oldest":
      return 0;
    case "first_unread":
      return text;
    default:
      if (!/^[-+]?\d+$/.test(text)) throw new ApiError("Invalid anchor");
      return Number(text) === documentedAsNewest ? newestAnchor : Math.min(Math.max(Number(text), 0), newestAnchor);
  }
}

const isoDate = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[-+]\d\d(?::?\d\d)?)?)?$/i;

function readDate(given: string | undefined): Date {
  if (given === undefined) throw new ApiError("Missing 'anchor_date' argument.");
  const [, day, time = "00:00", zone = "Z"] = isoDate.exec(given.trim()) ?? [];
  const offset = zone.replace(/^([-+]\d\d):?(\d\d)?$/, (_, hours: string, minutes = "00") => `${hours}:${minutes}`);
  const date = new Date(`${day}T${time.replace(",", ".")}${offset}`);
  if (day === undefined || Number.isNaN(date.getTime())) throw new ApiError("anchor_date is not an ISO 8601 date.");
  return date;
}

export interface RangeResult {
  ids: number[];
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
}

/** Picks the ids of the range from ascending ids around it. An end was found where there were fewer than requested. */
export function selectRange(ids: number[], anchor: number, { before, after, isAnchorIn }: Range): RangeResult {
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

/** Limits the number of messages besides the anchor; those before it take precedence. */
export function limitRange(range: Range, limit: number): Range {
  const before = Math.min(range.before, limit);
  return { ...range, before, after: Math.min(range.after, limit - before) };
}
