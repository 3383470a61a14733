/**
 * A stream of a queue's events: what it needs from the connection that carries it. The connection knows the format and the
 * network (http/server-sent-events.ts), the event log knows the events (`EventLog.stream`).
 *
 * A stream holds no events. What its connection does not take is read from the log later, so a slow reader costs no memory,
 * and a client that lost its connection continues from the last position it received.
 */
import type { User } from "../identity/account.ts";
import type { EventText } from "./log-entry.ts";

export interface EventSink {
  /** Sends events, and returns how many of them; fewer than given if the client does not keep up. */
  send: (events: EventText[]) => number;
  /** Shows the client that the connection works. It has been sent everything up to this position. */
  keepAlive: (position: number) => void;
  /** Returns once more can be sent, or once the client is disconnected. */
  untilReady: () => Promise<void>;
  readonly isClosed: boolean;
}

export interface StreamRequest {
  user: User;
  queueId: string;
  /** The newest event that the client has. */
  after: number;
  sink: EventSink;
  /** Finds the account again; throws if the credentials are no longer valid. */
  authenticate: () => Promise<User>;
  /** Calls back when the client has disconnected; at once if that has happened already. */
  onClose: (callback: () => void) => void;
}

/** Why a stream ended without an error: another read of the queue began, the node stops, the client is gone. */
export type StreamEnd = "replaced" | "shutdown" | "disconnected";
