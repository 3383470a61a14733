/**
 * Checks that every accepted message reached every reader who has a queue and may see it, exactly once and in order.
 * Complete, for all readers, and cheap: a few additions per delivery, no list of who received what.
 *
 * - **Order.** The ids of a queue's events must ascend strictly, within a response and from one to the next.
 * - **Once.** A message must have the same event id in all queues. So a queue that got it twice would have got the same
 *   event id twice, which the order forbids; and all queues have all messages in the same order.
 * - **Complete.** Each conversation keeps the number of its readers who have a queue, and the sum of their random weights.
 *   A message notes both when it is sent and adds up the weights of those who receive it. If number and sum agree, the
 *   same people received it; two different sets of people have the same sum once in billions.
 *
 * A reader who registers anew is for a moment without a queue, and messages sent in that moment are in the new
 * registration's state or arrive as events. The few messages that are under way then note the reader as uncertain, and
 * whether this reader got them is found out exactly: on the old queue by its last event id, on the new one by the set of
 * ids that a newcomer keeps for a while. Both is a mistake, because what was delivered must be in a later snapshot.
 */
import { Histogram } from "./histogram.ts";

/** Whoever reads a queue. */
export interface Reader {
  readonly name: string;
  /** Random, positive, below 2³². */
  readonly weight: number;
  readonly places: Place[];
  lastEventId: number;
  isPresent: boolean;
  /** Messages that arrived since this reader came or joined a channel; absent after a while. */
  newcomer: { since: number; got: Set<number> } | undefined;
}

/** A conversation, as the ledger sees it. */
export interface Place {
  /** How many of its readers have a queue, and the sum of their weights. */
  present: number;
  weight: number;
}

/** Somebody who gave up a queue, with the newest event it had got; or somebody who came, with what the new queue gets. */
type Uncertain = { reader: Reader; leftAfter: number } | { reader: Reader; got: ReadonlySet<number> };

/** A message from the moment its request is made. */
export interface Sending {
  readonly place: Place;
  readonly sentAt: number;
  readonly expected: number;
  readonly expectedWeight: number;
  readonly uncertain: Uncertain[];
  isMeasured: boolean;
  acceptedAt: number | undefined;
}

interface Entry {
  eventId: number | undefined;
  seen: number;
  seenWeight: number;
  sending: Sending | undefined;
  /** Deliveries before the response to the sender. */
  early: number[];
  firstAt: number;
  isLate: boolean;
}

interface Due {
  count: number;
  weight: number;
  /** Somebody who got it on two queues. */
  twice: Reader | undefined;
}

/** A message that takes longer to reach everybody is late. It is lost if it has not arrived when the run ends. */
export const patienceMilliseconds = 15_000;
const shown = 20;

export class Ledger {
  /** From when a message was due to its arrival, of messages sent since `startMeasuring`. */
  delays = new Histogram();
  readonly findings: string[] = [];
  /** Delivered messages that nobody is known to have sent: notices of the server, or sends without a response. */
  readonly strangers = new Set<number>();
  findingCount = 0;
  accepted = 0;
  deliveries = 0;
  /** Messages that had not reached everybody in time. */
  late = 0;
  /** Whether deliveries of messages sent now are part of the measurement. */
  isMeasuring = false;
  readonly #entries = new Map<number, Entry>();
  readonly #open = new Set<Sending>();
  readonly #newcomers = new Set<Reader>();

  startMeasuring(): void {
    this.delays = new Histogram();
    this.isMeasuring = true;
    for (const sending of this.#underWay()) sending.isMeasured = false;
  }

  /** Messages that have not reached everybody yet. */
  countOpen(): number {
    let open = this.#open.size;
    for (const entry of this.#entries.values()) if (entry.sending && !isComplete(entry)) open++;
    return open;
  }

  send(place: Place, sentAt: number): Sending {
    const sending: Sending = {
      place,
      sentAt,
      expected: place.present,
      expectedWeight: place.weight,
      uncertain: [],
      isMeasured: this.isMeasuring,
      acceptedAt: undefined,
    };
    this.#open.add(sending);
    return sending;
  }

  accept(sending: Sending, id: number, now: number): void {
    this.#open.delete(sending);
    this.accepted++;
    sending.acceptedAt = now;
    const entry = this.#entryOf(id, now);
    if (entry.sending) this.#find(`message ${id} was given as the id of two messages`);
    entry.sending = sending;
    if (sending.isMeasured) for (const at of entry.early) this.delays.add(at - sending.sentAt);
    entry.early = [];
  }

  /** Nobody knows whether the message exists. */
  reject(sending: Sending): void {
    this.#open.delete(sending);
  }

  /** Every event that is not a message; message events have `deliver`. */
  advance(reader: Reader, eventId: number): void {
    if (eventId <= reader.lastEventId)
      this.#find(`${reader.name}: event ${eventId} came after event ${reader.lastEventId}`);
    reader.lastEventId = eventId;
  }

  deliver(reader: Reader, eventId: number, id: number, now: number): void {
    this.advance(reader, eventId);
    this.deliveries++;
    const entry = this.#entryOf(id, now);
    entry.eventId ??= eventId;
    if (entry.eventId !== eventId)
      this.#find(`${reader.name}: message ${id} came as event ${eventId}, elsewhere as event ${entry.eventId}`);
    entry.seen++;
    entry.seenWeight += reader.weight;
    if (!entry.sending) entry.early.push(now);
    else if (entry.sending.isMeasured) this.delays.add(now - entry.sending.sentAt);
    reader.newcomer?.got.add(id);
  }

  /** The reader gives up the queue. */
  leave(reader: Reader): void {
    if (!reader.isPresent) return;
    reader.isPresent = false;
    for (const place of reader.places) {
      place.present--;
      place.weight -= reader.weight;
    }
    // One who came only a moment ago is noted already, and has a list of what arrived.
    for (const { place, uncertain } of this.#underWay())
      if (reader.places.includes(place) && !uncertain.some((each) => each.reader === reader))
        uncertain.push({ reader, leftAfter: reader.lastEventId });
  }

  /** The reader has a new queue, which begins after this event. */
  arrive(reader: Reader, lastEventId: number, now: number): void {
    if (reader.isPresent) throw new Error("a reader who is here cannot arrive");
    reader.isPresent = true;
    reader.lastEventId = lastEventId;
    reader.newcomer = { since: now, got: new Set() };
    this.#newcomers.add(reader);
    for (const place of reader.places) {
      place.present++;
      place.weight += reader.weight;
      this.#noteArrival(reader, place);
    }
  }

  /** Messages of the place may reach the reader from now on; `joined` says that all do. */
  joining(reader: Reader, now: number): void {
    reader.newcomer = { since: now, got: reader.newcomer?.got ?? new Set() };
    this.#newcomers.add(reader);
  }

  joined(reader: Reader, place: Place): void {
    if (reader.places.includes(place)) return;
    reader.places.push(place);
    if (!reader.isPresent) return;
    place.present++;
    place.weight += reader.weight;
    this.#noteArrival(reader, place);
  }

  #noteArrival(reader: Reader, place: Place): void {
    const got = reader.newcomer?.got ?? new Set();
    for (const sending of this.#underWay()) if (sending.place === place) sending.uncertain.push({ reader, got });
  }

  /**
   * Judges messages that had enough time, or all of them when it is the last time, which is when `all` readers are given. One that
   * is only late is judged when it is complete, or last.
   */
  settle(now: number, all?: readonly Reader[]): void {
    const isLast = all !== undefined;
    let hasLate = false;
    for (const [id, entry] of this.#entries) {
      const { sending } = entry;
      if (!isLast && now - (sending?.acceptedAt ?? entry.firstAt) < patienceMilliseconds) continue;
      const due = sending && this.#dueTo(id, entry, sending);
      if (due && entry.seen < due.count && !isLast) {
        if (!entry.isLate) this.late++;
        entry.isLate = true;
        hasLate = true;
        continue;
      }
      this.#entries.delete(id);
      if (due) this.#judge(id, entry, due, all);
      else this.strangers.add(id);
    }
    if (hasLate) return; // newcomers have to remember what they get of those
    for (const reader of this.#newcomers) {
      if (now - (reader.newcomer?.since ?? 0) < 3 * patienceMilliseconds) continue;
      reader.newcomer = undefined;
      this.#newcomers.delete(reader);
    }
  }

  /** How many readers the message had to reach, and the sum of their weights. */
  #dueTo(id: number, entry: Entry, { expected, expectedWeight, uncertain }: Sending): Due {
    const due: Due = { count: expected, weight: expectedWeight, twice: undefined };
    const hadIt = new Set<Reader>();
    for (const each of uncertain) {
      const { reader } = each;
      const isCounted = "leftAfter" in each;
      const got = isCounted ? entry.eventId !== undefined && entry.eventId <= each.leftAfter : each.got.has(id);
      if (got && hadIt.has(reader)) due.twice = reader;
      if (got) hadIt.add(reader);
      if (isCounted === got) continue;
      due.count += isCounted ? -1 : 1;
      due.weight += isCounted ? -reader.weight : reader.weight;
    }
    return due;
  }

  #judge(id: number, entry: Entry, { count, weight, twice }: Due, all: readonly Reader[] = []): void {
    const { seen, seenWeight } = entry;
    if (twice) this.#find(`${twice.name}: message ${id} came before and after registering`);
    if (seen !== count) this.#find(`message ${id} reached ${seen} readers instead of ${count}${behind(entry, all)}`);
    else if (seenWeight !== weight) this.#find(`message ${id} reached other readers than its conversation has`);
  }

  *#underWay(): Iterable<Sending> {
    yield* this.#open;
    for (const { sending } of this.#entries.values()) if (sending) yield sending;
  }

  #entryOf(id: number, now: number): Entry {
    let entry = this.#entries.get(id);
    if (!entry) {
      entry = {
        eventId: undefined,
        seen: 0,
        seenWeight: 0,
        sending: undefined,
        early: [],
        firstAt: now,
        isLate: false,
      };
      this.#entries.set(id, entry);
    }
    return entry;
  }

  #find(text: string): void {
    this.findingCount++;
    if (this.findings.length < shown) this.findings.push(text);
  }

  /** Something else that breaks the promise, such as a queue that expired. */
  complain(text: string): void {
    this.#find(text);
  }
}

/** Who has not read so far. Whoever has, and is missing all the same, never got the message. */
function behind({ eventId = Infinity, sending }: Entry, all: readonly Reader[]): string {
  const names = all
    .filter(
      ({ places, isPresent, lastEventId }) =>
        isPresent && sending && places.includes(sending.place) && lastEventId < eventId,
    )
    .map(({ name, lastEventId }) => `${name} (at ${lastEventId})`);
  return names.length === 0
    ? ""
    : `; ${names.length} have not read up to its event ${eventId}: ${names.slice(0, 3).join(", ")}`;
}

const isComplete = ({ seen, sending }: Entry): boolean =>
  sending === undefined || sending.uncertain.length > 0 || seen >= sending.expected;
