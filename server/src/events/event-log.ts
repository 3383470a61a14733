/**
 * Event queues on one node: finds and loads them, reads the log for them, holds the reads that wait, and answers those
 * an entry concerns.
 *
 * A read of events asks nothing of the database. That it is still judged by every revocation answered before it began
 * rests on the log: changes of accounts are in it (written by the database itself), a revocation is answered only when
 * it is in the stream (`revoke`), and a read first catches up with the stream (`Tail.sync`). When the log is not to be
 * trusted, because no relay was heard of for seconds or NATS is out of reach, the database is asked after all.
 */
import { defaultHost } from "../config.ts";
import type { Context } from "../context.ts";
import { ApiError, badEventQueueId } from "../errors.ts";
import { StaleSession, type User } from "../http/sessions.ts";
import type { Audience } from "./audience.ts";
import { LiveUsers, queueAt, reaches, type LiveUser } from "./live-users.ts";
import type { LogEntry, LogEvent } from "./log-entry.ts";
import {
  eventId,
  heartbeatId,
  maxEventsPerEntry,
  sequenceOf,
  type EmittedEvent,
  type LogPart,
  type LogPosition,
} from "./log-format.ts";
import { isWanted, textFor, type EventShapes, type Queue, type WaitingPoll } from "./queue.ts";
import { findQueue, keepQueues, type QueueRecord } from "./queue-store.ts";
import { isVisible, parseSnapshot, type Snapshot } from "./snapshot.ts";
import { Tail } from "./tail.ts";

const maxEventsPerAnswer = 1000;
const olderEntriesPerRead = 500;
const forgetAfterMilliseconds = 60_000;
const keepEveryMilliseconds = 20_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface PollRequest {
  user: User;
  queueId: string;
  lastEventId: number | undefined;
  dontBlock: boolean;
  whenGone: (callback: () => void) => void;
}

/** Called for each part that tells nodes something, with its place. */
export type NewsListener = (news: LogPart, position: LogPosition) => void;

type Given = Pick<Context, "config" | "db" | "logger" | "metrics" | "sessions">;

export class EventLog {
  readonly #given: Given;
  readonly #shapes: EventShapes;
  readonly #tail: Tail;
  readonly #live: LiveUsers;
  readonly #queues = new Map<string, Queue>();
  readonly #loading = new Map<string, Promise<Queue>>();
  readonly #waiting = new Set<Queue>();
  #isStopping = false;
  readonly #listeners: NewsListener[] = [];
  readonly #untilCommitted = new Map<number, (() => void)[]>();
  #timer: NodeJS.Timeout | undefined;
  #isKeeping = false;

  constructor(given: Given, shapes: EventShapes) {
    this.#given = given;
    this.#shapes = shapes;
    this.#tail = new Tail(given.config, given.logger, {
      onEntry: (entry) => this.#onEntry(entry),
      onEpoch: () => this.#expireAll(),
    });
    this.#live = new LiveUsers(given.db, this.#tail, defaultHost(given.config));
  }

  async start(): Promise<void> {
    await this.#tail.start();
    this.#timer = setInterval(() => this.#everySecond(), 1000);
  }

  /** Ends all waiting reads with no events, so that clients come back, to another node. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    for (const queue of this.#waiting) this.#answer(queue, []);
    await this.#tail.stop();
  }

  get epoch(): number {
    return this.#tail.epoch;
  }

  get isReady(): boolean {
    return this.#tail.isReady;
  }

  /** Where a queue registered with this snapshot begins: before the first event that the snapshot does not show. */
  firstEventId(before: number, snapshot: Snapshot): number {
    let sequence = before;
    for (const entry of this.#tail.recent()) {
      const isHidden = entry.parts.some((part) => part.xid !== undefined && !isVisible(snapshot, part.xid));
      if (isHidden) sequence = Math.min(sequence, entry.sequence - 1);
    }
    return eventId(sequence, maxEventsPerEntry);
  }

  /** Looks for a log that has replaced the one followed so far. */
  async refresh(): Promise<void> {
    await this.#tail.refresh();
    await new Promise((resume) => setTimeout(resume, 100));
  }

  get head(): number {
    return this.#tail.head;
  }

  async emitFleeting(realmId: number, audience: Audience, event: EmittedEvent): Promise<void> {
    await this.#tail.publishFleeting([{ r: realmId, e: [[audience, event]] }]);
  }

  /** Tells nodes and clients together what is gone a moment later; where in the log it stands. */
  async publishFleeting(parts: LogPart[]): Promise<LogPosition> {
    return this.#tail.publishFleeting(parts);
  }

  /** From now on hears of all that nodes have to know, in the log's order, before clients hear of what follows it. */
  listen(listener: NewsListener): void {
    this.#listeners.push(listener);
  }

  /** The same for the last minute, newest first. */
  *recentNews(): Iterable<[LogPart, LogPosition]> {
    for (const { epoch, sequence, parts } of this.#tail.recent())
      for (const { news } of parts.toReversed()) if (news) yield [news, { epoch, sequence }];
  }

  /** Returns once the transaction is in the log, or once every node has stopped trusting the log. */
  async known(xid: number): Promise<void> {
    const patience = performance.now() + 30_000;
    const silence = performance.now() + 6000;
    let isThere = false;
    const arrived = new Promise<void>((resolve) => {
      const done = () => {
        isThere = true;
        resolve();
      };
      this.#untilCommitted.set(xid, [...(this.#untilCommitted.get(xid) ?? []), done]);
    });
    for (const entry of this.#tail.recent()) if (entry.parts.some((part) => part.xid === xid)) this.#release(xid);
    while (!isThere) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([arrived, new Promise((resume) => (timer = setTimeout(resume, 500)))]);
      clearTimeout(timer);
      if (performance.now() > silence && !this.#tail.isFresh) break;
      if (performance.now() > patience) throw new Error(`transaction ${xid} has not reached the event log in 30 s`);
    }
    this.#untilCommitted.delete(xid);
  }

  /** Texts of the events for a queue; waits for some unless told not to. */
  async poll(request: PollRequest): Promise<string[]> {
    const { user, queueId, lastEventId, dontBlock, whenGone } = request;
    const queue = await this.#queue(queueId);
    if (queue.user.id !== user.id) throw badEventQueueId(queueId);
    await this.#catchUp(user);
    queue.lastActiveAt = Date.now();
    const after = Math.max(lastEventId ?? -1, queue.firstEventId);
    for (;;) {
      const { head } = this.#tail;
      const texts = await this.#read(queue, after);
      if (texts.length > 0 || dontBlock) return texts;
      // From here on the log's news end the wait. What came since they were asked for would be passed over: an event
      // for the queue, a change of the account, or the queue's end.
      if (this.#tail.isFresh && !this.#given.sessions.isCurrent(user)) throw new StaleSession();
      if (this.#queues.get(queueId) !== queue) return this.poll(request);
      if (this.#tail.head === head) return this.#wait(queue, after, whenGone);
    }
  }

  async #catchUp(user: User): Promise<void> {
    const { sessions } = this.#given;
    if (this.#tail.isFresh) {
      const hasSynced = await this.#tail.sync().then(
        () => true,
        () => false,
      );
      if (hasSynced && sessions.isCurrent(user)) return;
    }
    await sessions.verify(user);
  }

  async #queue(id: string): Promise<Queue> {
    const known = this.#queues.get(id);
    if (known) return known;
    if (!uuid.test(id)) throw badEventQueueId(id);
    const loading = this.#loading.get(id) ?? this.#load(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  async #load(id: string): Promise<Queue> {
    const record = await findQueue(this.#given.db, id);
    if (!record) throw badEventQueueId(id);
    if (record.epoch > this.#tail.epoch) await this.#tail.refresh();
    // Made on a node that is ahead of this one.
    if (record.epoch > this.#tail.epoch)
      throw new ApiError("The event log is not ready yet, try again", { status: 503 });
    const user = await this.#live.get(record.user_id);
    if (record.epoch !== this.#tail.epoch) throw badEventQueueId(id);
    return this.#open(record, user);
  }

  #open(record: QueueRecord, user: LiveUser): Queue {
    const { id, epoch, options } = record;
    const now = Date.now();
    const queue: Queue = {
      id,
      epoch,
      user,
      firstEventId: record.first_event_id,
      snapshot: parseSnapshot(record.snapshot),
      options,
      types: options.event_types ? new Set(options.event_types) : undefined,
      idleSeconds: record.idle_seconds,
      lastActiveAt: now,
      savedAt: now,
      waiting: undefined,
    };
    this.#queues.set(id, queue);
    this.#live.attach(queue);
    return queue;
  }

  /** What is there for the queue after a position, oldest first; from the stream where memory does not reach. */
  async #read(queue: Queue, after: number): Promise<string[]> {
    const texts: string[] = [];
    // The entry of `after` itself may hold later events.
    let sequence = Math.max(1, sequenceOf(after));
    while (sequence < this.#tail.oldest && texts.length < maxEventsPerAnswer) {
      if (after >= eventId(sequence, maxEventsPerEntry)) {
        sequence++;
        continue;
      }
      const entries = await this.#tail.readOlder(sequence, olderEntriesPerRead);
      if (!entries) throw badEventQueueId(queue.id);
      for (const entry of entries) this.#collect(queue, entry, after, texts);
      sequence = (entries.at(-1)?.sequence ?? sequence) + 1;
    }
    for (const entry of this.#tail.from(sequence)) {
      if (texts.length >= maxEventsPerAnswer) break;
      this.#collect(queue, entry, after, texts);
    }
    return texts;
  }

  #collect(queue: Queue, entry: LogEntry, after: number, texts: string[]): void {
    for (const part of entry.parts) {
      if (part.realmId !== queue.user.realmId) continue;
      for (const event of part.events) {
        if (event.id <= after) continue;
        const text = this.#textFor(queue, event);
        if (text !== undefined) texts.push(text);
      }
    }
  }

  #textFor(queue: Queue, event: LogEvent): string | undefined {
    if (!isWanted(queue, event)) return undefined;
    const then = queueAt(queue, event.id);
    return reaches(event.audience, then) ? textFor(this.#shapes, event, then) : undefined;
  }

  async #wait(queue: Queue, after: number, whenGone: PollRequest["whenGone"]): Promise<string[]> {
    // A second read of a queue ends the first: its client has given it up.
    if (queue.waiting) this.#answer(queue, []);
    // It was under way when the others were answered; nobody would answer it any more.
    if (this.#isStopping) return [];
    return new Promise<string[]>((resolve, reject) => {
      const seconds = this.#given.config.heartbeatSeconds * (1 + Math.random() / 10);
      const poll: WaitingPoll = { after, answer: resolve, fail: reject, heartbeatAt: Date.now() + seconds * 1000 };
      queue.waiting = poll;
      this.#waiting.add(queue);
      this.#given.metrics.waitingPolls.set(this.#waiting.size);
      whenGone(() => {
        if (queue.waiting === poll) this.#answer(queue, []);
      });
    });
  }

  #answer(queue: Queue, texts: string[]): void {
    const { waiting } = queue;
    if (!waiting) return;
    this.#unpark(queue);
    waiting.answer(texts);
  }

  #fail(queue: Queue, error: Error): void {
    const { waiting } = queue;
    if (!waiting) return;
    this.#unpark(queue);
    waiting.fail(error);
  }

  #unpark(queue: Queue): void {
    queue.waiting = undefined;
    queue.lastActiveAt = Date.now();
    this.#waiting.delete(queue);
    this.#given.metrics.waitingPolls.set(this.#waiting.size);
  }

  #onEntry(entry: LogEntry): void {
    this.#given.metrics.logPosition.set(entry.sequence);
    this.#live.apply(entry);
    for (const { xid, realmId, news } of entry.parts) {
      for (const change of news?.u ?? []) {
        this.#given.sessions.announce(change.user, change.version);
        // Their reads begin anew, and with that their authentication.
        for (const queue of this.#live.find(change.user)?.queues ?? []) this.#fail(queue, new StaleSession());
      }
      if (news?.realm) this.#given.sessions.forgetRealm(realmId);
      for (const id of news?.q ?? []) this.#drop(id);
      if (news) for (const listener of this.#listeners) listener(news, entry);
      if (xid !== undefined) this.#release(xid);
    }
    this.#wake(entry);
  }

  #wake(entry: LogEntry): void {
    const found = new Map<Queue, string[]>();
    for (const event of this.#eventsWithListeners(entry)) {
      for (const user of this.#live.candidates(event.realmId, event.audience)) {
        for (const queue of user.queues) {
          if (!queue.waiting || event.id <= queue.waiting.after) continue;
          const text = this.#textFor(queue, event);
          if (text === undefined) continue;
          const texts = found.get(queue);
          if (texts) texts.push(text);
          else found.set(queue, [text]);
        }
      }
    }
    for (const [queue, texts] of found) this.#answer(queue, texts);
  }

  *#eventsWithListeners(entry: LogEntry): Iterable<LogEvent> {
    for (const part of entry.parts) if (part.hasEvents && this.#live.hasAnyOf(part.realmId)) yield* part.events;
  }

  #release(xid: number): void {
    for (const resolve of this.#untilCommitted.get(xid) ?? []) resolve();
  }

  #drop(id: string): void {
    const queue = this.#queues.get(id);
    if (!queue) return;
    this.#queues.delete(id);
    this.#live.detach(queue);
    this.#fail(queue, badEventQueueId(id));
  }

  #expireAll(): void {
    for (const id of this.#queues.keys()) this.#drop(id);
    this.#live.clear();
  }

  #everySecond(): void {
    const now = Date.now();
    for (const queue of this.#waiting) {
      const poll = queue.waiting;
      if (!poll || poll.heartbeatAt > now) continue;
      const id = heartbeatId(this.#tail.head, poll.after);
      this.#answer(queue, [`{"type":"heartbeat","id":${id}}`]);
    }
    for (const queue of this.#queues.values()) {
      if (!queue.waiting && now - queue.lastActiveAt > Math.min(forgetAfterMilliseconds, queue.idleSeconds * 1000)) {
        this.#queues.delete(queue.id);
        this.#live.detach(queue);
      }
    }
    void this.#keep(now);
  }

  /** Writes down which queues are alive, for many at once and not often. */
  async #keep(now: number): Promise<void> {
    if (this.#isKeeping) return;
    const due = [...this.#queues.values()].filter((queue) => {
      const every = Math.min(keepEveryMilliseconds, queue.idleSeconds * 250);
      return (queue.waiting || queue.lastActiveAt > queue.savedAt) && now - queue.savedAt >= every;
    });
    if (due.length === 0) return;
    this.#isKeeping = true;
    try {
      await keepQueues(this.#given.db, due);
      for (const queue of due) queue.savedAt = now;
    } catch (error) {
      this.#given.logger.warn({ err: error }, "could not note which queues are alive; trying again");
    } finally {
      this.#isKeeping = false;
    }
  }
}
