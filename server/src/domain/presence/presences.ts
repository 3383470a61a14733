/**
 * Who is there, on this node. Everybody's clients say so every minute, which makes this the most frequent request; so
 * the database hears of it rarely, and in bulk. Reports are gathered for up to a second and told to all nodes through
 * the log, which keeps what they know of an organization current once they were asked for it. What they begin with is
 * in the database, written within seconds by the node that was told; the log's last minute covers what is not yet there.
 *
 * **Invariant:** an update id is a place in the log, so ids of different nodes can be compared, and whoever has heard of
 * everything up to one needs only what is after it.
 */
import type { Context } from "../../context.ts";
import type { LogPart, LogPosition } from "../../events/log-format.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { toComebacks } from "./comebacks.ts";
import { RealmPresences, type Presence } from "./realm-presences.ts";
import { listPresences, storePresences } from "./store.ts";

const gatherMilliseconds = 1000;
const storeMilliseconds = 5000;
/** A report so soon after the last one is no news. */
const newsMilliseconds = 55_000;
/** Who is heard of after so long was away. */
const awayMilliseconds = 130_000;
const forgetMilliseconds = 30 * 60_000;
/** So many fit well into one entry of the log. */
const reportsPerEntry = 5000;

type Given = Pick<Context, "config" | "db" | "events" | "logger">;

interface Report {
  user: User;
  seenAt: number;
  heardAt: number;
  isComeback: boolean;
}

interface Realm {
  presences: RealmPresences;
  ready: Promise<void>;
  askedAt: number;
}

export class Presences {
  readonly #given: Given;
  readonly #realms = new Map<number, Realm>();
  /** Told by clients, not yet by us. */
  #reports = new Map<number, Report>();
  /** Told, not yet written. */
  #unwritten = new Map<number, Presence>();
  #publishing: Promise<void> | undefined;
  #publishTimer: NodeJS.Timeout | undefined;
  #publishedAt = 0;
  #storeTimer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(given: Given) {
    this.#given = given;
    given.events.listen((news, position) => this.#hear(news, position));
  }

  /** Tells and writes down what is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#publishTimer);
    await this.#publishing;
    await this.#publish();
    clearTimeout(this.#storeTimer);
    await this.#store();
  }

  /** What this node knows of an organization. `db` may be a transaction. */
  async of(realmId: number, db: Db = this.#given.db): Promise<RealmPresences> {
    const known = this.#realms.get(realmId) ?? this.#load(realmId, db);
    known.askedAt = Date.now();
    await known.ready;
    return known.presences;
  }

  /** Somebody is there. What is no news is not told. */
  async report(user: User, isSeen: boolean): Promise<void> {
    const now = Date.now();
    const known = (await this.of(user.realm_id)).find(user.id);
    const isNews = (at: number | undefined) => now - (at ?? 0) >= newsMilliseconds;
    if (!isNews(known?.heardAt) && !(isSeen && isNews(known?.seenAt))) return;
    const waiting = this.#reports.get(user.id);
    this.#reports.set(user.id, {
      user,
      seenAt: isSeen ? now : (waiting?.seenAt ?? 0),
      heardAt: now,
      isComeback: waiting?.isComeback ?? now - (known?.heardAt ?? 0) > awayMilliseconds,
    });
    this.#publishSoon();
  }

  /** A report of one's own that is still on its way. */
  waiting(userId: number): Pick<Presence, "seenAt" | "heardAt"> | undefined {
    return this.#reports.get(userId);
  }

  #load(realmId: number, db: Db): Realm {
    const presences = new RealmPresences();
    const read = async () => {
      const stored = await listPresences(db, realmId);
      presences.begin(stored);
      const recent = [...this.#given.events.recentNews()].filter(([news]) => news.r === realmId);
      for (const [news, position] of recent.toReversed()) apply(presences, news, position);
    };
    const ready = read().catch((error: unknown) => {
      this.#realms.delete(realmId);
      throw error;
    });
    const realm = { presences, ready, askedAt: Date.now() };
    this.#realms.set(realmId, realm);
    for (const [id, { askedAt }] of this.#realms)
      if (realm.askedAt - askedAt > forgetMilliseconds) this.#realms.delete(id);
    return realm;
  }

  #hear(news: LogPart, position: LogPosition): void {
    const realm = this.#realms.get(news.r);
    if (realm) apply(realm.presences, news, position);
  }

  /** At once when nothing was told for a while, else gathered. */
  #publishSoon(): void {
    if (this.#publishTimer || this.#publishing || this.#isStopped) return;
    const wait = Math.max(0, this.#publishedAt + gatherMilliseconds - Date.now());
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
    this.#reports = new Map();
    this.#publishedAt = Date.now();
    for (let at = 0; at < reports.length; at += reportsPerEntry) {
      const some = reports.slice(at, at + reportsPerEntry);
      try {
        const position = await this.#given.events.publishFleeting(await this.#toParts(some));
        for (const report of some) this.#keep(report, toUpdateId(position));
      } catch (error) {
        // Not worth a second try: the same clients say it again in a minute.
        this.#given.logger.warn({ err: error, reports: some.length }, "could not tell who is there");
      }
    }
    if (this.#unwritten.size > 0) this.#storeSoon();
  }

  async #toParts(reports: Report[]): Promise<LogPart[]> {
    const parts: LogPart[] = [];
    const shown = reports.filter(({ user, heardAt }) => !this.#isHidden(user, heardAt));
    for (const [realmId, own] of Map.groupBy(shown, ({ user }) => user.realm_id)) {
      parts.push({ r: realmId, p: own.map(({ user, seenAt, heardAt }) => [user.id, seenAt, heardAt]) });
      const comebacks = own.filter(({ isComeback }) => isComeback);
      const events = await toComebacks(this.#given, comebacks);
      if (events.length > 0) parts.push({ r: realmId, e: events });
    }
    return parts;
  }

  #isHidden(user: User, at: number): boolean {
    return this.#realms.get(user.realm_id)?.presences.isHidden(user.id, at) ?? false;
  }

  #keep({ user, seenAt, heardAt }: Report, updateId: number): void {
    const known = this.#unwritten.get(user.id);
    const newest = Math.max(known?.seenAt ?? 0, seenAt);
    this.#unwritten.set(user.id, { userId: user.id, seenAt: newest, heardAt, updateId });
  }

  #storeSoon(): void {
    if (this.#isStopped) return;
    this.#storeTimer ??= setTimeout(() => {
      this.#storeTimer = undefined;
      void this.#store();
    }, storeMilliseconds);
  }

  async #store(): Promise<void> {
    const unwritten = this.#unwritten;
    if (unwritten.size === 0) return;
    this.#unwritten = new Map();
    try {
      await storePresences(this.#given.db, [...unwritten.values()]);
    } catch (error) {
      this.#given.logger.warn({ err: error }, "could not write down who was there; trying again");
      this.#unwritten = new Map([...unwritten, ...this.#unwritten]);
      this.#storeSoon();
    }
  }
}

function apply(presences: RealmPresences, news: LogPart, position: LogPosition): void {
  for (const [userId, at] of news.hidden ?? []) presences.hide(userId, at);
  for (const report of news.p ?? []) presences.report(report, toUpdateId(position));
}

/** Ids of a later log are greater. There is room for thousands of logs, and in each for centuries. */
const entriesPerEpoch = 2 ** 38;
const toUpdateId = ({ epoch, sequence }: LogPosition): number => epoch * entriesPerEpoch + sequence;
