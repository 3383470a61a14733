/**
 * The users who have a queue on this node, and what determines which events they receive: their role and the ranges of
 * message ids they receive in each channel. Loaded once from the database, then kept current by the log.
 *
 * **Invariant:** when the tail has handled an entry, this index reflects every transaction up to it. A change that was
 * already visible when the user was loaded is not applied twice (its transaction is visible in that snapshot).
 */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { BatchedReads } from "../platform/db/batched-reads.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Audience } from "./audience.ts";
import type { EntryPart, LogEntry } from "./log-entry.ts";
import type { AccountChange, MuteChange, SubscriptionChange } from "./log-format.ts";
import type { Queue } from "./queue.ts";
import { isVisible, parseSnapshot, type Snapshot } from "./snapshot.ts";
import { recentMilliseconds } from "./tail.ts";

/** Half-open ranges as pairs of start and end ids, ascending; the last may be open-ended. */
type Ranges = number[];

export interface LiveUser {
  id: number;
  realmId: number;
  role: number;
  readonly isBot: boolean;
  /** The organization's host, for the placeholders of hidden e-mail addresses. */
  host: string;
  /** Version of the account's row; an announced change with an older version is already included. */
  version: number;
  readonly channels: Map<number, Ranges>;
  /** Muted senders, and which of their messages are marked as read because of that. */
  readonly silenced: Map<number, Ranges>;
  /** Previous roles, oldest first, each with the id of the first event after it. */
  readonly pastRoles: [until: number, role: number][];
  readonly queues: Set<Queue>;
  snapshot: Snapshot;
}

export class LiveUsers {
  readonly #rows: BatchedReads<number, LiveUserRow>;
  readonly #defaultHost: string;
  /** Entries of the last minute with changes for this index, oldest first. */
  #recent: LogEntry[] = [];
  readonly #users = new Map<number, LiveUser>();
  readonly #loading = new Map<number, Promise<LiveUser>>();
  readonly #byRealm = new Map<number, Set<LiveUser>>();
  readonly #byChannel = new Map<number, Set<LiveUser>>();
  /** Users with a queue for messages of all public channels, by organization. */
  readonly #allPublic = new Map<number, Set<LiveUser>>();

  constructor(db: Db, defaultHost: string) {
    this.#rows = new BatchedReads((ids) => readRows(db, ids));
    this.#defaultHost = defaultHost;
  }

  find(id: number): LiveUser | undefined {
    return this.#users.get(id);
  }

  /** The user's entry, loaded from the database the first time. */
  async get(id: number): Promise<LiveUser> {
    const known = this.#users.get(id);
    if (known) return known;
    const loading =
      this.#loading.get(id) ??
      this.#load(id).finally(() => {
        this.#loading.delete(id);
      });
    this.#loading.set(id, loading);
    return loading;
  }

  attach(queue: Queue): void {
    queue.user.queues.add(queue);
    if (wantsAllPublic(queue)) setOf(this.#allPublic, queue.user.realmId).add(queue.user);
  }

  detach(queue: Queue): void {
    const { user } = queue;
    user.queues.delete(queue);
    if (![...user.queues].some(wantsAllPublic)) this.#allPublic.get(user.realmId)?.delete(user);
    this.forget(user);
  }

  /** Forgets a user who has no queue here. */
  forget(user: LiveUser): void {
    if (user.queues.size > 0 || this.#users.get(user.id) !== user) return;
    this.#users.delete(user.id);
    this.#byRealm.get(user.realmId)?.delete(user);
    for (const channel of user.channels.keys()) this.#byChannel.get(channel)?.delete(user);
  }

  clear(): void {
    this.#recent = [];
    this.#users.clear();
    this.#byRealm.clear();
    this.#byChannel.clear();
    this.#allPublic.clear();
  }

  /** Updates the index to the state after an entry. */
  apply(entry: LogEntry): void {
    if (entry.parts.some(hasChanges)) this.#recent.push(entry);
    this.#forgetOld();
    for (const { xid, nodeUpdate, firstId } of entry.parts) {
      for (const change of nodeUpdate?.s ?? []) this.#applySubscriptions(change, xid);
      for (const change of nodeUpdate?.m ?? []) this.#applyMute(change, xid);
      for (const { user, was } of nodeUpdate?.w ?? []) this.#users.get(user)?.pastRoles.push([firstId, was]);
      for (const change of nodeUpdate?.u ?? []) this.#applyAccount(change);
    }
  }

  hasAnyOf(realmId: number): boolean {
    return (this.#byRealm.get(realmId)?.size ?? 0) > 0;
  }

  /** Candidates on this node for an event; `reaches` decides for each. */
  candidates(realmId: number, audience: Audience): Iterable<LiveUser> {
    if (audience.everyone || audience.nonGuests || audience.administrators || audience.roles)
      return this.#byRealm.get(realmId) ?? [];
    const found = new Set<LiveUser>();
    for (const id of audience.users ?? []) {
      const user = this.#users.get(id);
      if (user) found.add(user);
    }
    if (audience.publicChannel) for (const user of this.#allPublic.get(realmId) ?? []) found.add(user);
    const { channel, message, messages } = audience;
    const channels = [
      ...[channel?.id, message?.channel, message?.moved?.origin, messages?.channel].filter((id) => id !== undefined),
      ...(messages?.origins ?? []),
    ];
    const [only] = channels;
    if (only !== undefined && channels.length === 1 && found.size === 0) return this.#byChannel.get(only) ?? [];
    for (const id of channels) for (const user of this.#byChannel.get(id) ?? []) found.add(user);
    return found;
  }

  async #load(id: number): Promise<LiveUser> {
    const row = await this.#rows.find(id);
    if (!row) throw new Error(`a queue belongs to user ${id}, who does not exist`);
    const channels = new Map((row.channels ?? []).map(([channel, ranges]) => [channel, parseRanges(ranges)]));
    const silenced = new Map((row.silenced ?? []).map(([sender, ranges]) => [sender, parseRanges(ranges)]));
    const snapshot = parseSnapshot(row.snapshot);
    const { realm_id: realmId, role, is_bot: isBot, version } = row;
    const host = row.host ?? this.#defaultHost;
    const account = { id, realmId, role, isBot, host, version };
    const user: LiveUser = { ...account, channels, silenced, pastRoles: [], queues: new Set(), snapshot };
    this.#users.set(id, user);
    setOf(this.#byRealm, user.realmId).add(user);
    for (const channel of channels.keys()) setOf(this.#byChannel, channel).add(user);
    this.#catchUp(user);
    return user;
  }

  /**
   * Applies changes of the last minute that this index has already handled but whose transactions were not yet visible in the
   * database, and recent previous roles, which the database no longer has.
   */
  #catchUp(user: LiveUser): void {
    const missed: [SubscriptionChange, number | undefined][] = [];
    const mutes: [MuteChange, number | undefined][] = [];
    const accounts: AccountChange[] = [];
    this.#forgetOld();
    for (const entry of this.#recent.toReversed()) {
      for (const { xid, nodeUpdate, firstId } of entry.parts) {
        for (const { user: id, was } of nodeUpdate?.w ?? []) if (id === user.id) user.pastRoles.push([firstId, was]);
        if (xid === undefined || isVisible(user.snapshot, xid)) continue;
        for (const change of nodeUpdate?.s ?? []) if (change.users.includes(user.id)) missed.push([change, xid]);
        for (const change of nodeUpdate?.m ?? []) if (change.user === user.id) mutes.push([change, xid]);
        for (const change of nodeUpdate?.u ?? []) if (change.user === user.id) accounts.push(change);
      }
    }
    user.pastRoles.sort(([one], [other]) => one - other);
    for (const [change, xid] of missed.toReversed()) this.#applySubscriptions({ ...change, users: [user.id] }, xid);
    for (const [change, xid] of mutes.toReversed()) this.#applyMute(change, xid);
    for (const change of accounts.toReversed()) this.#applyAccount(change);
  }

  #forgetOld(): void {
    const since = Date.now() - recentMilliseconds;
    const first = this.#recent.findIndex(({ receivedAt }) => receivedAt >= since);
    if (first !== 0) this.#recent.splice(0, first < 0 ? Infinity : first);
  }

  #applySubscriptions({ channel, users, from, until }: SubscriptionChange, xid: number | undefined): void {
    for (const id of users) {
      const user = this.#users.get(id);
      if (!user || (xid !== undefined && isVisible(user.snapshot, xid))) continue;
      const ranges = user.channels.get(channel) ?? [];
      const isOpen = ranges.at(-1) === Infinity;
      if (from !== undefined && !isOpen) {
        ranges.push(from, Infinity);
        user.channels.set(channel, ranges);
        setOf(this.#byChannel, channel).add(user);
      } else if (until !== undefined && isOpen) ranges[ranges.length - 1] = until;
    }
  }

  #applyMute({ user: id, sender, from, until }: MuteChange, xid: number | undefined): void {
    const user = this.#users.get(id);
    if (!user || (xid !== undefined && isVisible(user.snapshot, xid))) return;
    const ranges = user.silenced.get(sender) ?? [];
    if (from !== undefined) user.silenced.set(sender, [...ranges.filter((bound) => bound < from), from, Infinity]);
    else if (until !== undefined && ranges.at(-1) === Infinity) ranges[ranges.length - 1] = until;
  }

  #applyAccount({ user: id, role, version }: AccountChange): void {
    const user = this.#users.get(id);
    if (user && version > user.version) Object.assign(user, { role, version });
  }
}

interface LiveUserRow {
  id: number;
  realm_id: number;
  role: number;
  is_bot: boolean;
  host: string | null;
  version: number;
  snapshot: string;
  channels: [number, string][] | null;
  silenced: [number, string][] | null;
}

async function readRows(db: Db, ids: number[]): Promise<Map<number, LiveUserRow>> {
  const { rows } = await sql<LiveUserRow>`
    select u.id, u.realm_id, u.role, u.is_bot, r.host, u.version, pg_current_snapshot()::text as snapshot,
      (select json_agg(json_build_array(s.channel_id, s.received::text)) from subscriptions s
        where s.user_id = u.id and not isempty(s.received)) as channels,
      (select json_agg(json_build_array(m.muted_user_id, m.silenced::text)) from muted_users m
        where m.user_id = u.id and not isempty(m.silenced)) as silenced
    from users u join realms r on r.id = u.realm_id where u.id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

const hasChanges = ({ nodeUpdate }: EntryPart): boolean =>
  nodeUpdate !== undefined && [nodeUpdate.s, nodeUpdate.m, nodeUpdate.w, nodeUpdate.u].some(Boolean);

/** A narrow can also ask for messages of channels the user is not subscribed to. */
const wantsAllPublic = (queue: Queue) => queue.options.all_public_streams || queue.options.narrow.length > 0;

function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const known = map.get(key);
  if (known) return known;
  const fresh = new Set<V>();
  map.set(key, fresh);
  return fresh;
}

/** `{[1,5),[9,)}` as PostgreSQL writes it. */
export function parseRanges(text: string): Ranges {
  return [...text.matchAll(/\[(\d+),(\d*)\)/g)].flatMap(([, first, end]) => [
    Number(first),
    end === undefined || end === "" ? Infinity : Number(end),
  ]);
}

function contains(ranges: Ranges | undefined, id: number): boolean {
  if (!ranges) return false;
  for (let i = ranges.length - 2; i >= 0; i -= 2) {
    if (id >= (ranges[i] ?? Infinity)) return id < (ranges[i + 1] ?? 0);
  }
  return false;
}

/** Whether the user receives a channel message as a subscriber, and not only because of all_public_streams. */
export const receives = (user: LiveUser, channelId: number, messageId: number): boolean =>
  contains(user.channels.get(channelId), messageId);

/** Whether a message is marked as read for the user because its sender is muted. */
export const isSilencedFor = (user: LiveUser, senderId: number, messageId: number): boolean =>
  contains(user.silenced.get(senderId), messageId);

/** The queue at the time of the event with this id, when its user may have had another role. */
export function queueAt(queue: Queue, eventId: number): Queue {
  const past = queue.user.pastRoles.find(([until]) => eventId < until);
  return past ? { ...queue, user: { ...queue.user, role: past[1] } } : queue;
}

/** The domain's access rule for events about messages, evaluated on this index alone. */
export interface MessageReach {
  one: (message: NonNullable<Audience["message"]>, user: LiveUser) => boolean;
  /** For at least one of several messages. */
  any: (messages: NonNullable<Audience["messages"]>, user: LiveUser) => boolean;
}

/** Whether an event with this audience is for this queue. */
export function reaches(audience: Audience, queue: Queue, messageReach: MessageReach): boolean {
  const { user } = queue;
  if (audience.except?.includes(user.id) || (audience.exceptBots && user.isBot)) return false;
  if (audience.everyone) return true;
  if (audience.nonGuests && user.role !== roles.guest) return true;
  if (audience.administrators && user.role <= roles.administrator) return true;
  if (audience.roles?.includes(user.role)) return true;
  if (audience.users?.includes(user.id)) return true;
  const { channel } = audience;
  if (channel && contains(user.channels.get(channel.id), channel.at)) return true;
  if (audience.message && messageReach.one(audience.message, user)) return true;
  if (audience.messages && messageReach.any(audience.messages, user)) return true;
  return audience.publicChannel === true && user.role !== roles.guest && wantsAllPublic(queue);
}
