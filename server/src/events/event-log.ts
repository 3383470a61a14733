/**
 * Event queues on one node: loads them, reads the log for them, holds waiting requests and streams, completes the requests
 * that an entry concerns, and sends the events to the streams.
 *
 * A request for events does not query the database. It still respects every revocation that completed before it began,
 * because of the log: it contains all changes of accounts (written by the database itself), a revocation completes only
 * when it is in the stream (`revoke`), and a request first catches up with the stream (`Tail.sync`). When the log cannot
 * be trusted, because there was no sign of a relay for seconds or NATS is unreachable, the database is queried after all.
 * A stream respects every revocation in the log before it sends what follows.
 */
import { defaultHost } from "../config.ts";
import type { Context } from "../context.ts";
import { ApiError, badEventQueueId } from "../errors.ts";
import { requireScopesOfTypes } from "../identity/scopes.ts";
import { StaleSession } from "../identity/sessions.ts";
import type { User } from "../identity/account.ts";
import type { Audience } from "./audience.ts";
import { BatchedReads } from "../platform/db/batched-reads.ts";
import type { LogFields } from "../platform/log-fields.ts";
import { LiveUsers, queueAt, reaches, type LiveUser, type MessageReach } from "./live-users.ts";
import type { EventSink, StreamEnd, StreamRequest } from "./event-stream.ts";
import type { EntryPart, EventText, LogEntry, LogEvent } from "./log-entry.ts";
import {
  eventId,
  heartbeatId,
  maxEventsPerEntry,
  NewerFormat,
  sequenceOf,
  type EmittedEvent,
  type LogPart,
  type LogPosition,
} from "./log-format.ts";
import { belongsToQueue, textFor, type EventShapes, type Queue, type WaitingRead } from "./queue.ts";
import { findQueues, keepQueues, type QueueRecord } from "./queue-store.ts";
import { isVisible, parseSnapshot, type Snapshot } from "./snapshot.ts";
import { Tail } from "./tail.ts";

const maxEventsPerResponse = 1000;
const forgetAfterMilliseconds = 60_000;
const keepEveryMilliseconds = 20_000;
/** Each change of an account makes its streams authenticate again. */
const attemptsWithStaleSession = 20;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** When the credential stops being valid. A read does not wait longer. */
const expiryOf = ({ credential }: User): number => credential?.expiresAt ?? Infinity;

export interface PollRequest {
  user: User;
  queueId: string;
  lastEventId: number | undefined;
  dontBlock: boolean;
  onClose: (callback: () => void) => void;
}

/** Called for each part with an update for the nodes, with its position. */
export type NodeUpdateListener = (nodeUpdate: LogPart, position: LogPosition) => void;

/**
 * A queue to which an event cannot be delivered cannot continue without it: it expires, and its client registers again.
 * Other queues are not affected.
 */
class Undeliverable extends Error {
  override name = "Undeliverable";
}

/** The state of a stream while it runs. */
class Stream {
  readonly request: StreamRequest;
  user: User;
  /** The newest event that was sent. */
  after: number;
  /** Undefined until the stream reads it. */
  queue: Queue | undefined;
  /** How often in a row the account had changed when it was to be sent something. */
  staleSessions = 0;

  constructor(request: StreamRequest) {
    this.request = request;
    this.user = request.user;
    this.after = request.after;
  }

  /** False if the client does not keep up: the rest has to be read from the log again. */
  send(events: EventText[]): boolean {
    const sent = this.request.sink.send(events);
    this.after = events[sent - 1]?.id ?? this.after;
    return sent === events.length;
  }
}

interface Given extends Pick<Context, "config" | "db" | "logger" | "metrics" | "sessions" | "tracing"> {
  /** Called when the database may have been restored: nothing read from it before can be trusted. */
  forgetRows: () => void;
}

export class EventLog {
  readonly #given: Given;
  readonly #shapes: EventShapes;
  readonly #messageReach: MessageReach;
  readonly #tail: Tail;
  readonly #live: LiveUsers;
  readonly #queues = new Map<string, Queue>();
  readonly #records: BatchedReads<string, QueueRecord>;
  readonly #loading = new Map<string, Promise<Queue>>();
  readonly #waiting = new Set<Queue>();
  #isStopping = false;
  readonly #listeners: NodeUpdateListener[] = [];
  /** How often queues have ended that may have been loaded at that moment. */
  #endings = 0;
  readonly #untilCommitted = new Map<number, (() => void)[]>();
  readonly #failedTypes = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #startedAt = Date.now();
  #isKeeping = false;

  constructor(given: Given, shapes: EventShapes, messageReach: MessageReach) {
    this.#given = given;
    this.#messageReach = messageReach;
    this.#shapes = shapes;
    this.#tail = new Tail(given.config, given.logger, {
      onEntry: (entry) => this.#onEntry(entry),
      onEpoch: () => this.#startOver(),
      onRefused: () => given.metrics.logRefused.inc(),
      onNewerFormat: () => this.answerWaitingReads(),
    });
    this.#records = new BatchedReads((ids) => findQueues(given.db, ids));
    this.#live = new LiveUsers(given.db, defaultHost(given.config));
  }

  async start(): Promise<void> {
    await this.#tail.start();
    this.#timer = setInterval(() => this.#everySecond(), 1000);
  }

  /** Completes all waiting requests, and from now on every other one at once, so that clients poll another node. */
  endWaitingReads(): void {
    this.#isStopping = true;
    this.answerWaitingReads();
  }

  /** Answers all waiting requests with a heartbeat, so that clients notice what responses say about the server. */
  answerWaitingReads(): void {
    for (const queue of this.#waiting) if (queue.waiting) this.#answer(queue, [this.#heartbeat(queue.waiting.after)]);
  }

  async stop(): Promise<void> {
    this.endWaitingReads();
    clearInterval(this.#timer);
    await this.#tail.stop();
  }

  #heartbeat(after: number): EventText {
    const id = heartbeatId(this.#tail.head, after);
    return { id, text: `{"type":"heartbeat","id":${id}}` };
  }

  get epoch(): number {
    return this.#tail.epoch;
  }

  /** Random, chosen with the epoch; undefined if an earlier version created the stream. */
  get generation(): string | undefined {
    return this.#tail.generation;
  }

  /** The sequence that the database has confirmed; a database that has confirmed less was restored from a backup. */
  get confirmedSequence(): number {
    return this.#tail.confirmedSequence;
  }

  get isReady(): boolean {
    return this.#tail.isReady;
  }

  /** How far this node is behind the log: in entries, and in seconds since it heard of a relay. */
  get lag(): { entries: number; silenceSeconds: number } {
    return { entries: this.#tail.lag, silenceSeconds: this.#tail.silenceSeconds };
  }

  /** Why events do not arrive, and what to do about it; undefined while they do. */
  get problem(): string | undefined {
    return this.#tail.problem;
  }

  /** Why this node must be replaced by a newer release; undefined if it need not. */
  get needsNewerRelease(): string | undefined {
    return this.#tail.newerFormat?.message;
  }

  /** The start of a queue registered with this snapshot: before the first event that the snapshot does not include. */
  firstEventId(before: number, snapshot: Snapshot): number {
    let sequence = before;
    for (const entry of this.#tail.recent()) {
      const isHidden = entry.parts.some((part) => part.xid !== undefined && !isVisible(snapshot, part.xid));
      if (isHidden) sequence = Math.min(sequence, entry.sequence - 1);
    }
    return eventId(sequence, maxEventsPerEntry);
  }

  /** Checks whether a new log has replaced the current one. */
  async refresh(): Promise<void> {
    await this.#tail.refresh();
    await new Promise((resume) => setTimeout(resume, 100));
  }

  get head(): number {
    return this.#tail.head;
  }

  async emitTransient(realmId: number, audience: Audience, event: EmittedEvent): Promise<void> {
    await this.#tail.publishTransient([{ r: realmId, e: [[audience, event]] }]);
  }

  /** Publishes transient events to nodes and clients; returns their position in the log. */
  async publishTransient(parts: LogPart[]): Promise<LogPosition> {
    return this.#tail.publishTransient(parts);
  }

  /** Adds a listener for updates for the nodes, called in log order, before clients get the events that follow. */
  listen(listener: NodeUpdateListener): void {
    this.#listeners.push(listener);
  }

  /** The updates of the last minute, newest first. */
  *recentNodeUpdates(): Iterable<[LogPart, LogPosition]> {
    for (const { epoch, sequence, parts } of this.#tail.recent())
      for (const { nodeUpdate } of parts.toReversed()) if (nodeUpdate) yield [nodeUpdate, { epoch, sequence }];
  }

  /** Returns once the transaction is in the log, or once every node has stopped trusting the log. */
  async untilLogged(xid: number): Promise<void> {
    const deadline = performance.now() + 30_000;
    const distrustedAt = performance.now() + 6000;
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
      if (performance.now() > distrustedAt && !this.#tail.isFresh) break;
      if (performance.now() > deadline) throw new Error(`transaction ${xid} has not reached the event log within 30 s`);
    }
    this.#untilCommitted.delete(xid);
  }

  /** The queue's events; waits for some unless `dontBlock` is set. */
  async poll(request: PollRequest): Promise<EventText[]> {
    try {
      // Another node, of the newer release, delivers the rest from the same position.
      if (this.#tail.newerFormat) throw this.#tail.newerFormat;
      return await this.#poll(request);
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      throw new ApiError("This node is being replaced by a newer release. Try again.", { status: 503 });
    }
  }

  async #poll(request: PollRequest): Promise<EventText[]> {
    const { user, queueId, lastEventId, dontBlock, onClose } = request;
    const queue = await this.#queue(queueId);
    if (queue.user.id !== user.id) throw badEventQueueId(queueId);
    requireScopesOfTypes(user, queue.types);
    await this.#catchUp(user);
    queue.lastActiveAt = Date.now();
    const after = Math.max(lastEventId ?? -1, queue.firstEventId);
    for (;;) {
      const { head } = this.#tail;
      const events = await this.#read(queue, after);
      if (events.length > 0 || dontBlock) return events;
      // From here on new log entries end the wait. Anything since the last check would be missed: an event for the
      // queue, a change of the account, or the end of the queue.
      if (this.#tail.isFresh && !this.#given.sessions.isCurrent(user)) throw new StaleSession();
      if (this.#queues.get(queueId) !== queue) return this.#poll(request);
      if (this.#tail.head === head) return this.#wait(queue, after, user, onClose);
    }
  }

  /** Sends the queue's events until the stream ends, and returns why. Throws what a request for events would. */
  async stream(request: StreamRequest): Promise<StreamEnd> {
    const stream = new Stream(request);
    request.onClose(() => {
      if (stream.queue?.reader === stream) this.#answer(stream.queue, []);
    });
    try {
      return await this.#streamWithSession(stream);
    } finally {
      if (stream.queue?.reader === stream) stream.queue.reader = undefined;
    }
  }

  /** The client has these events. The queue may begin after them, so that a reader without a position begins there. */
  acknowledge(queueId: string, lastEventId: number): void {
    const queue = this.#queues.get(queueId);
    if (queue) queue.acknowledged = Math.max(queue.acknowledged, lastEventId);
  }

  /** Starts over whenever the account has changed, and ends when its credentials are no longer valid. */
  async #streamWithSession(stream: Stream): Promise<StreamEnd> {
    for (;;) {
      try {
        return await this.#stream(stream);
      } catch (error) {
        if (error instanceof NewerFormat) return "shutdown";
        if (!(error instanceof StaleSession)) throw error;
        if (++stream.staleSessions >= attemptsWithStaleSession)
          throw new ApiError("This account is being changed, try again", { status: 503 });
        this.#given.sessions.forget(stream.user.id);
        stream.user = await stream.request.authenticate();
      }
    }
  }

  async #stream(stream: Stream): Promise<StreamEnd> {
    const { queueId, sink } = stream.request;
    const queue = await this.#queue(queueId);
    if (queue.user.id !== stream.user.id) throw badEventQueueId(queueId);
    requireScopesOfTypes(stream.user, queue.types);
    await this.#catchUp(stream.user);
    if (stream.queue && queue.reader !== undefined && queue.reader !== stream) return "replaced";
    if (queue.reader !== stream) this.#answer(queue, []);
    queue.reader = stream;
    stream.queue = queue;
    stream.after = Math.max(stream.after, queue.firstEventId);
    for (;;) {
      queue.lastActiveAt = Date.now();
      const { head } = this.#tail;
      const events = await this.#read(queue, stream.after);
      // From here to the wait nothing else can happen, and whatever happens then ends the wait.
      if (sink.isClosed) return "disconnected";
      if (this.#isStopping || this.#tail.newerFormat) return "shutdown";
      if (queue.reader !== stream) return "replaced";
      // Changes of the account up to the head have been announced, and none of the events is newer.
      if (this.#tail.isFresh && !this.#given.sessions.isCurrent(stream.user)) throw new StaleSession();
      if (this.#queues.get(queueId) !== queue) return this.#stream(stream);
      if (events.length > 0 || this.#tail.head !== head) {
        if (stream.send(events)) continue;
        await this.#waitForReader(queue, sink);
      } else await this.#waitForEvents(queue, stream);
      // The wait may have been long: the session may have expired, or the log may have stalled.
      stream.user = await stream.request.authenticate();
      if (!this.#tail.isFresh) await this.#catchUp(stream.user);
    }
  }

  /** Sends events as they arrive; returns when the stream has to look what else has changed. */
  async #waitForEvents(queue: Queue, stream: Stream): Promise<void> {
    stream.staleSessions = 0;
    const { sink } = stream.request;
    await new Promise<void>((resolve, reject) => {
      const waiting: WaitingRead = {
        after: stream.after,
        answer: ([heartbeat]) => {
          if (heartbeat) {
            stream.after = heartbeat.id;
            sink.keepAlive(heartbeat.id);
          }
          resolve();
        },
        fail: reject,
        heartbeatAt: Math.min(Date.now() + this.#heartbeatMilliseconds() / 2, expiryOf(stream.user)),
        send: (events) => {
          if (!this.#given.sessions.isCurrent(stream.user)) {
            reject(new StaleSession());
            return false;
          }
          const isAll = stream.send(events);
          waiting.after = stream.after;
          return isAll;
        },
      };
      this.#park(queue, waiting);
    });
  }

  /** Returns when the client has read what it was sent. Until then it is sent nothing, but its stream can be ended. */
  async #waitForReader(queue: Queue, sink: EventSink): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiting: WaitingRead = {
        after: Infinity,
        answer: () => resolve(),
        fail: reject,
        heartbeatAt: Infinity,
        send: () => true,
      };
      this.#park(queue, waiting);
      sink.untilReady().then(() => {
        if (queue.waiting === waiting) this.#answer(queue, []);
      }, reject);
    });
  }

  #heartbeatMilliseconds(): number {
    return this.#given.config.heartbeatSeconds * 1000 * (1 + Math.random() / 10);
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
    for (;;) {
      const endings = this.#endings;
      const record = await this.#records.find(id);
      if (!record) throw badEventQueueId(id);
      if (record.epoch > this.#tail.epoch) await this.#tail.refresh();
      // Created on a node that is ahead of this one.
      if (record.epoch > this.#tail.epoch)
        throw new ApiError("The event log is not ready yet, try again", { status: 503 });
      const user = await this.#live.get(record.user_id);
      if (record.epoch !== this.#tail.epoch) throw badEventQueueId(id);
      if (endings === this.#endings) return this.#open(record, user);
      // Meanwhile queues ended, and this one may have been read before.
      this.#live.forget(user);
    }
  }

  #open(record: QueueRecord, user: LiveUser): Queue {
    const { id, epoch } = record;
    // The record may predate a change of the setting.
    const options = {
      ...record.options,
      client_gravatar: record.options.client_gravatar && this.#given.config.gravatar,
    };
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
      acknowledged: record.first_event_id,
      reader: undefined,
    };
    this.#queues.set(id, queue);
    this.#live.attach(queue);
    return queue;
  }

  /** The queue's events after a position, oldest first; those no longer in memory are read from the stream. */
  async #read(queue: Queue, after: number): Promise<EventText[]> {
    const texts: EventText[] = [];
    // The entry of `after` itself may contain later events.
    let sequence = Math.max(1, sequenceOf(after));
    while (sequence < this.#tail.oldest && texts.length < maxEventsPerResponse) {
      if (after >= eventId(sequence, maxEventsPerEntry)) {
        sequence++;
        continue;
      }
      const entries = await this.#tail.readOlder(sequence);
      if (!entries) throw badEventQueueId(queue.id);
      for (const entry of entries) if (!this.#collect(queue, entry, after, texts)) return texts;
      sequence = (entries.at(-1)?.sequence ?? sequence) + 1;
    }
    for (const entry of this.#tail.from(sequence)) {
      if (texts.length >= maxEventsPerResponse || !this.#collect(queue, entry, after, texts)) break;
    }
    return texts;
  }

  /** False if an event in the entry cannot be delivered: the events before it are delivered first, then the queue expires. */
  #collect(queue: Queue, entry: LogEntry, after: number, texts: EventText[]): boolean {
    try {
      if (entry.isUnreadable && after < eventId(entry.sequence, maxEventsPerEntry)) throw new Undeliverable();
      for (const part of entry.parts) {
        if (part.realmId !== queue.user.realmId) continue;
        if (this.#endsQueue(part, queue)) throw new Undeliverable();
        for (const event of this.#eventsOf(part)) {
          if (event.id <= after) continue;
          const text = this.#textFor(queue, event);
          if (text !== undefined) texts.push(text);
        }
      }
      return true;
    } catch (error) {
      if (!(error instanceof Undeliverable)) throw error;
      if (texts.length === 0) throw badEventQueueId(queue.id);
      return false;
    }
  }

  /** Whether the part ends the queue, see end-queues.ts. Throws `Undeliverable` if the part is malformed. */
  #endsQueue(part: EntryPart, queue: Queue): boolean {
    if (part.xid === undefined || isVisible(queue.snapshot, part.xid)) return false;
    try {
      return part.nodeUpdate?.over === true;
    } catch (error) {
      this.#noteFailure("unreadable", error, { event_id: part.firstId });
      throw new Undeliverable();
    }
  }

  /** Throws `Undeliverable` if the part is malformed. */
  #eventsOf(part: EntryPart): LogEvent[] {
    try {
      return part.events;
    } catch (error) {
      this.#noteFailure("unreadable", error, { event_id: part.firstId });
      throw new Undeliverable();
    }
  }

  /** Throws `Undeliverable` if this event cannot be shaped for the queue. */
  #textFor(queue: Queue, event: LogEvent): EventText | undefined {
    if (!belongsToQueue(queue, event)) return undefined;
    try {
      const then = queueAt(queue, event.id);
      return reaches(event.audience, then, this.#messageReach) ? textFor(this.#shapes, event, then) : undefined;
    } catch (error) {
      this.#noteFailure(event.event.type, error, { event_id: event.id, queue_id: queue.id });
      throw new Undeliverable();
    }
  }

  /** A bug that affects every event of this type in every queue: logged once, then counted. */
  #noteFailure(type: string, error: unknown, about: LogFields): void {
    const { logger, metrics } = this.#given;
    metrics.undeliverableEvents.inc({ type });
    if (this.#failedTypes.has(type)) return;
    this.#failedTypes.add(type);
    logger.error(
      { err: error, type, ...about },
      "an event cannot be delivered; its queues expire and their clients register again",
    );
  }

  async #wait(queue: Queue, after: number, user: User, onClose: PollRequest["onClose"]): Promise<EventText[]> {
    // A second read of a queue ends the first, which its client has abandoned.
    this.#answer(queue, []);
    // This request was in flight when the others were completed; nothing else would complete it.
    if (this.#isStopping || this.#tail.newerFormat) return [this.#heartbeat(after)];
    return new Promise<EventText[]>((resolve, reject) => {
      const heartbeatAt = Math.min(Date.now() + this.#heartbeatMilliseconds(), expiryOf(user));
      const poll: WaitingRead = { after, answer: resolve, fail: reject, heartbeatAt, send: undefined };
      queue.reader = poll;
      this.#park(queue, poll);
      onClose(() => {
        if (queue.waiting === poll) this.#answer(queue, []);
      });
    });
  }

  #park(queue: Queue, read: WaitingRead): void {
    queue.waiting = read;
    this.#waiting.add(queue);
    this.#given.metrics.waitingPolls.set(this.#waiting.size);
  }

  /** Answers a request; to a stream sends the events, and ends its wait if it cannot go on like that. */
  #deliver(queue: Queue, events: EventText[], isBlocked: boolean): void {
    if (!queue.waiting?.send) this.#answer(queue, events);
    else if (!queue.waiting.send(events) || isBlocked) this.#answer(queue, []);
  }

  #answer(queue: Queue, events: EventText[]): void {
    const { waiting } = queue;
    if (!waiting) return;
    this.#unpark(queue);
    waiting.answer(events);
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
    try {
      if (entry.isUnreadable) throw new Error(`entry ${entry.sequence} of the event log cannot be read`);
      this.#apply(entry);
    } catch (error) {
      // The node's caches may be stale, so everything is read again.
      this.#noteFailure("internal", error, { sequence: entry.sequence });
      this.#startOver();
    }
    for (const { xid } of entry.parts) if (xid !== undefined) this.#release(xid);
    const answered = this.#wake(entry);
    this.#observeDelivery(entry, answered);
  }

  /** A node that has just started reads entries of the last minute, which were delivered long ago. */
  #observeDelivery({ committedAt, isCommitted, parts, traces, receivedAt }: LogEntry, answered: number): void {
    if (!isCommitted || committedAt === undefined || committedAt < this.#startedAt) return;
    for (const parent of traces)
      this.#given.tracing
        ?.start("deliver", { kind: "consumer", parent, startedAt: receivedAt })
        ?.end({ "skein.clients": answered });
    const hasEvents = parts.some((part) => part.hasEvents);
    // Events that nobody waits for here are delivered by another node, or with the next read.
    if (hasEvents && answered === 0) return;
    const seconds = Math.max(0, Date.now() - committedAt) / 1000;
    this.#given.metrics.deliveryDelay.observe({ traffic: hasEvents ? "events" : "canary" }, seconds);
  }

  /** Applies updates for the nodes. */
  #apply(entry: LogEntry): void {
    this.#live.apply(entry);
    for (const { realmId, nodeUpdate, xid } of entry.parts) {
      for (const change of nodeUpdate?.u ?? []) {
        this.#given.sessions.announce(change.user, change.version);
        // The user's requests start over, and so does their authentication.
        for (const queue of this.#live.find(change.user)?.queues ?? []) this.#fail(queue, new StaleSession());
      }
      if (nodeUpdate?.realm) {
        this.#given.sessions.forgetRealm(realmId);
        for (const queue of this.#waiting)
          if (queue.waiting?.send && queue.user.realmId === realmId) this.#fail(queue, new StaleSession());
      }
      for (const id of nodeUpdate?.q ?? []) {
        if (this.#loading.has(id)) this.#endings++;
        this.#drop(id);
      }
      if (nodeUpdate?.over && xid !== undefined) this.#endQueuesOf(realmId, xid);
      if (nodeUpdate) for (const listener of this.#listeners) listener(nodeUpdate, entry);
    }
  }

  /** Answers the requests that wait for events of this entry; returns how many there were. */
  #wake(entry: LogEntry): number {
    const found = new Map<Queue, EventText[]>();
    /** Queues that get the events before the undeliverable one, and meet that one at their next request. */
    const blocked = new Set<Queue>();
    for (const event of this.#eventsWithListeners(entry, blocked)) {
      for (const user of this.#live.candidates(event.realmId, event.audience)) {
        for (const queue of user.queues) {
          if (!queue.waiting || event.id <= queue.waiting.after || blocked.has(queue)) continue;
          const text = this.#textOrBlock(queue, event, blocked);
          if (text === undefined) continue;
          const texts = found.get(queue);
          if (texts) texts.push(text);
          else found.set(queue, [text]);
        }
      }
    }
    for (const [queue, texts] of found) this.#deliver(queue, texts, blocked.has(queue));
    for (const queue of blocked) if (!found.has(queue)) this.#drop(queue.id);
    return found.size;
  }

  #textOrBlock(queue: Queue, event: LogEvent, blocked: Set<Queue>): EventText | undefined {
    try {
      return this.#textFor(queue, event);
    } catch (error) {
      if (!(error instanceof Undeliverable)) throw error;
      blocked.add(queue);
      return undefined;
    }
  }

  *#eventsWithListeners(entry: LogEntry, blocked: Set<Queue>): Iterable<LogEvent> {
    for (const part of entry.parts) {
      if (!part.hasEvents || !this.#live.hasAnyOf(part.realmId)) continue;
      let events: LogEvent[] = [];
      try {
        events = this.#eventsOf(part);
      } catch (error) {
        if (!(error instanceof Undeliverable)) throw error;
        for (const queue of this.#waiting) if (queue.user.realmId === part.realmId) blocked.add(queue);
      }
      yield* events;
    }
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

  /**
   * Ends the organization's queues that were registered before this transaction. Later ones, which this node may have loaded
   * before it read of the transaction, are loaded again, because the users' index may be older.
   */
  #endQueuesOf(realmId: number, xid: number): void {
    this.#endings++;
    for (const queue of this.#queues.values()) {
      if (queue.user.realmId !== realmId) continue;
      if (!isVisible(queue.snapshot, xid)) {
        this.#drop(queue.id);
        continue;
      }
      this.#queues.delete(queue.id);
      this.#live.detach(queue);
      // No heartbeat: its id would be after the events of this entry, which have not been sent.
      this.#answer(queue, []);
    }
  }

  /** No cached state can be trusted: neither queues nor, if the database was restored, accounts and other rows. */
  #startOver(): void {
    for (const id of this.#queues.keys()) this.#drop(id);
    this.#live.clear();
    this.#given.sessions.forgetAll();
    this.#given.forgetRows();
  }

  #everySecond(): void {
    const now = Date.now();
    for (const queue of this.#waiting) {
      const poll = queue.waiting;
      if (!poll || poll.heartbeatAt > now) continue;
      this.#answer(queue, [this.#heartbeat(poll.after)]);
    }
    for (const queue of this.#queues.values()) {
      if (!queue.waiting && now - queue.lastActiveAt > Math.min(forgetAfterMilliseconds, queue.idleSeconds * 1000)) {
        this.#queues.delete(queue.id);
        this.#live.detach(queue);
      }
    }
    void this.#keep(now);
  }

  /** Records which queues are alive and what their readers have acknowledged, in batches and rarely. */
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
      this.#given.logger.warn({ err: error }, "could not record which queues are alive; will retry");
    } finally {
      this.#isKeeping = false;
    }
  }
}
