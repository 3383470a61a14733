/** How an active user reads events, on a connection of its own: as a stream (stream-feed.ts) or by long polls (poll-feed.ts). */
import type { Account } from "../request.ts";
import type { Scanned } from "./scan.ts";

export interface Subscriber {
  host: string;
  port: number;
  account: Account;
  queueId: string;
  /** The newest event that was read. */
  position: () => number;
  onEvents: (events: Scanned, at: number) => void;
  /** There are no more events up to this one. */
  onPosition: (eventId: number) => void;
  /** The queue no longer exists. */
  onGone: (text: string) => void;
  /** There was no usable response (status 0: none at all), and another attempt follows. */
  onFailure: (status: number, text: string) => void;
}

export interface Feed {
  /** Since when nothing was heard, by `performance.now()`. */
  readonly silentSince: number;
  /** Of all connections so far. */
  readonly bytes: { read: number; written: number };
  /** Begins again on a new connection. */
  restart: () => void;
  close: () => void;
}

export type FeedKind = "streams" | "polls";

export const pauseAfterFailure = 500;
