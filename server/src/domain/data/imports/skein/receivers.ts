/** Who received a message and who has not read it, for the messages of one conversation in the order of their ids. */
import type { SourceId, SourceMessage } from "../source.ts";
import type { Reading } from "./places.ts";
import { RangeCursor, toRanges } from "./ranges.ts";

interface Reader {
  personId: SourceId;
  isMember: boolean;
  received: RangeCursor;
  read: RangeCursor;
}

export class Receivers {
  readonly #known: Reader[] = [];
  /** Members whose reading the export does not contain. */
  readonly #unknown: SourceId[] = [];
  readonly #isProtected: boolean;

  constructor(readings: readonly Reading[], isProtected: boolean) {
    this.#isProtected = isProtected;
    for (const { personId, isMember, received, read } of readings)
      if (received !== undefined && read !== undefined)
        this.#known.push({
          personId,
          isMember,
          received: new RangeCursor(toRanges(received)),
          read: new RangeCursor(toRanges(read)),
        });
      else if (isMember) this.#unknown.push(personId);
  }

  /**
   * Without `receivedBy` all members received it; where history is protected it is always given. Members of whom nothing is
   * known have read everything, and, where history is protected, received nothing: they must not be able to read more than
   * before.
   */
  of(message: number): Pick<SourceMessage, "receivedBy" | "unreadBy"> {
    const receivedBy: SourceId[] = [];
    const unreadBy: SourceId[] = [];
    let isEverybody = !this.#isProtected;
    for (const { personId, isMember, received, read } of this.#known) {
      const isReceived = received.has(message);
      // Both cursors move on with every message.
      const isRead = read.has(message);
      if (isReceived !== isMember) isEverybody = false;
      if (!isReceived) continue;
      receivedBy.push(personId);
      if (!isRead) unreadBy.push(personId);
    }
    if (isEverybody) return { unreadBy };
    return { receivedBy: this.#isProtected ? receivedBy : [...receivedBy, ...this.#unknown], unreadBy };
  }
}
