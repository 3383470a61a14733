/**
 * The presence of users, as known to this node. Every client reports it each minute, which makes this the most frequent
 * request, so the database is updated rarely and in bulk. A node collects reports for up to a second and publishes them to
 * all nodes through the log. Each node loads an organization's presence from the database on first use and then keeps it
 * current from the log. The node that received a report stores it within seconds; the log's last minute covers the gap.
 *
 * **Invariant:** an update id is a position in the log, so ids of different nodes are comparable, and a client that knows
 * everything up to an id needs only what comes after it.
 */
import type { Context } from "../../../context.ts";
import type { LogPart, LogPosition } from "../../../events/log-format.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { toArrivalEvents } from "./arrivals.ts";
import { RealmPresences, type Presence } from "./realm-presences.ts";
import { listPresences, storePresences } from "./store.ts";

const batchMilliseconds = 1000;
const storeMilliseconds = 5000;
/** A report this soon after the last one is ignored. */
const minReportMilliseconds = 55_000;
/** A user who connects after this time was away. */
const awayMilliseconds = 130_000;
const forgetMilliseconds = 30 * 60_000;
/** As many as fit well into one log entry. */
const reportsPerEntry = 5000;

type Parts = Pick<Context, "config" | "db" | "events" | "logger">;

interface Report {
  user: User;
  activeAt: number;
  connectedAt: number;
  isArrival: boolean;
}

interface Realm {
  presences: RealmPresences;
  ready: Promise<void>;
  usedAt: number;
}

export class Presences {
  readonly #parts: Parts;
  readonly #realms = new Map<number, Realm>();
  /** Reported by clients, not yet published. */
  #reports = new Map<number, Report>();
  /** Being published. */
  #inFlight = new Map<number, Report>();
  /** Published, not yet stored. */
  #unstored = new Map<number, Presence>();
  #publishing: Promise<void> | undefined;
  #publishTimer: NodeJS.Timeout | undefined;
  #publishedAt = 0;
  #storeTimer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.events.listen((part, position) => this.#receive(part, position));
  }

  /** Publishes and stores what is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#publishTimer);
    await this.#publishing;
    await this.#publish();
    clearTimeout(this.#storeTimer);
    await this.#store();
  }

  /** The presence of an organization's users. `db` may be a transaction. */
  async of(realmId: number, db: Db = this.#parts.db): Promise<RealmPresences> {
    const known = this.#realms.get(realmId) ?? this.#load(realmId, db);
    known.usedAt = Date.now();
    await known.ready;
    return known.presences;
  }

  /** Records that a user is connected, and whether they are active. Ignores reports too soon after the last one. */
  async report(user: User, isActive: boolean): Promise<void> {
    const now = Date.now();
    const known = this.#newest(await this.of(user.realm_id), user.id);
    const isDue = (last: number) => now - last >= minReportMilliseconds;
    if (!isDue(known.connectedAt) && !(isActive && isDue(known.activeAt))) return;
    const pending = this.#reports.get(user.id);
    this.#reports.set(user.id, {
      user,
      activeAt: isActive ? now : (pending?.activeAt ?? 0),
      connectedAt: now,
      isArrival: pending?.isArrival ?? now - known.connectedAt > awayMilliseconds,
    });
    this.#publishSoon();
  }

  /**
   * What is known of a user, including what this node published and has not yet received through the log: without that,
   * every report until then would count as another arrival.
   */
  #newest(presences: RealmPresences, userId: number): Pick<Presence, "activeAt" | "connectedAt"> {
    const newest = { activeAt: 0, connectedAt: 0 };
    for (const one of [presences.find(userId), this.#inFlight.get(userId), this.#unstored.get(userId)]) {
      if (!one || presences.isHidden(userId, one.connectedAt)) continue;
      newest.activeAt = Math.max(newest.activeAt, one.activeAt);
      newest.connectedAt = Math.max(newest.connectedAt, one.connectedAt);
    }
    return newest;
  }

  /** The user's report that this node has not yet received through the log. */
  pending(presences: RealmPresences, userId: number): Pick<Presence, "activeAt" | "connectedAt"> | undefined {
    const own = this.#reports.get(userId) ?? this.#inFlight.get(userId) ?? this.#unstored.get(userId);
    if (!own || presences.isHidden(userId, own.connectedAt)) return undefined;
    return own.connectedAt > (presences.find(userId)?.connectedAt ?? 0) ? own : undefined;
  }

  #load(realmId: number, db: Db): Realm {
    const presences = new RealmPresences();
    const read = async () => {
      const stored = await listPresences(db, realmId);
      presences.begin(stored);
      const recent = [...this.#parts.events.recentNodeUpdates()].filter(([part]) => part.r === realmId);
      for (const [part, position] of recent.toReversed()) apply(presences, part, position);
    };
    const ready = read().catch((error: unknown) => {
      this.#realms.delete(realmId);
      throw error;
    });
    const realm = { presences, ready, usedAt: Date.now() };
    this.#realms.set(realmId, realm);
    for (const [id, { usedAt }] of this.#realms)
      if (realm.usedAt - usedAt > forgetMilliseconds) this.#realms.delete(id);
    return realm;
  }

  #receive(part: LogPart, position: LogPosition): void {
    const realm = this.#realms.get(part.r);
    if (realm) apply(realm.presences, part, position);
  }

  /** At once when nothing was published for a while, otherwise batched. */
  #publishSoon(): void {
    if (this.#publishTimer || this.#publishing || this.#isStopped) return;
    const wait = Math.max(0, this.#publishedAt + batchMilliseconds - Date.now());
    this.#publishTimer = setTimeout(() => {
      this.#publishTimer = undefined;
      this.#publishing = this.#publish().finally(() => {
        this.#publishing = undefined;
        if (this.#reports.size > 0) this.#publishSoon();
      });
    }, wait);
  }

  async #publish(): Promise<void> {
    const reports = [...this.#reports.values()];
    this.#inFlight = this.#reports;
    this.#reports = new Map();
    this.#publishedAt = Date.now();
    for (let at = 0; at < reports.length; at += reportsPerEntry) {
      const some = reports.slice(at, at + reportsPerEntry);
      try {
        const position = await this.#parts.events.publishTransient(await this.#toParts(some));
        for (const report of some) this.#keep(report, toUpdateId(position));
      } catch (error) {
        // Not worth a retry: the same clients report again in a minute.
        this.#parts.logger.warn({ err: error, reports: some.length }, "could not publish presence reports");
      }
    }
    this.#inFlight = new Map();
    if (this.#unstored.size > 0) this.#storeSoon();
  }

  async #toParts(reports: Report[]): Promise<LogPart[]> {
    const parts: LogPart[] = [];
    const shown = reports.filter(({ user, connectedAt }) => !this.#isHidden(user, connectedAt));
    for (const [realmId, own] of Map.groupBy(shown, ({ user }) => user.realm_id)) {
      parts.push({ r: realmId, p: own.map(({ user, activeAt, connectedAt }) => [user.id, activeAt, connectedAt]) });
      const arrivals = own.filter(({ isArrival }) => isArrival);
      const events = await toArrivalEvents(this.#parts, arrivals);
      if (events.length > 0) parts.push({ r: realmId, e: events });
    }
    return parts;
  }

  #isHidden(user: User, at: number): boolean {
    return this.#realms.get(user.realm_id)?.presences.isHidden(user.id, at) ?? false;
  }

  #keep({ user, activeAt, connectedAt }: Report, updateId: number): void {
    const known = this.#unstored.get(user.id);
    const newest = Math.max(known?.activeAt ?? 0, activeAt);
    this.#unstored.set(user.id, { userId: user.id, activeAt: newest, connectedAt, updateId });
  }

  #storeSoon(): void {
    if (this.#isStopped) return;
    this.#storeTimer ??= setTimeout(() => {
      this.#storeTimer = undefined;
      void this.#store();
    }, storeMilliseconds);
  }

  async #store(): Promise<void> {
    const unstored = this.#unstored;
    if (unstored.size === 0) return;
    this.#unstored = new Map();
    try {
      await storePresences(this.#parts.db, [...unstored.values()]);
    } catch (error) {
      this.#parts.logger.warn({ err: error }, "could not store presence; retrying");
      this.#unstored = new Map([...unstored, ...this.#unstored]);
      this.#storeSoon();
    }
  }
}

function apply(presences: RealmPresences, part: LogPart, position: LogPosition): void {
  for (const [userId, at] of part.hidden ?? []) presences.hide(userId, at);
  for (const report of part.p ?? []) presences.report(report, toUpdateId(position));
}

/** Ids of a later log are greater. There is room for thousands of logs, and for centuries of entries in each. */
const entriesPerEpoch = 2 ** 38;
const toUpdateId = ({ epoch, sequence }: LogPosition): number => epoch * entriesPerEpoch + sequence;
