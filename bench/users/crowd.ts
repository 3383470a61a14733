/** The active users: each has a queue, reads it without pause on a connection of its own, and is known to the ledger. */
import type { Random } from "../../faults/random.ts";
import type { Account } from "../request.ts";
import type { Feed, FeedKind } from "./feed.ts";
import type { Ledger, Reader } from "./ledger.ts";
import { Measures } from "./measures.ts";
import { paceAt } from "./model.ts";
import type { Conversation, Organization, Topic } from "./organization.ts";
import { PollFeed } from "./poll-feed.ts";
import type { Queue } from "./registration.ts";
import type { Scanned } from "./scan.ts";
import { StreamFeed } from "./stream-feed.ts";

/** Longer than a heartbeat takes. */
export const silenceMilliseconds = 90_000;

export interface ActiveUser extends Reader {
  readonly index: number;
  readonly account: Account;
  /** How many times longer than the busiest this user pauses. */
  readonly factor: number;
  readonly lists: Record<Conversation["kind"], Conversation[]>;
  queueId: string;
  feed: Feed | undefined;
  presenceUpdateId: number;
  drafts: number[];
  /** The newest message of each topic that this user has marked as read. */
  readonly marked: Map<Topic, number>;
}

export class Crowd {
  readonly users: ActiveUser[] = [];
  measures = new Measures();
  /** Called when a user's queue has expired, which must not happen. */
  onGone: (user: ActiveUser) => void = () => undefined;
  readonly #nodes: { host: string; port: number }[];
  readonly #ledger: Ledger;
  readonly #organization: Organization;
  readonly #reads: FeedKind;

  constructor(urls: readonly string[], ledger: Ledger, organization: Organization, reads: FeedKind) {
    this.#reads = reads;
    this.#nodes = urls.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) }));
    this.#ledger = ledger;
    this.#organization = organization;
  }

  /** Adds the next user of the organization, who has no queue yet. */
  add(random: Random): ActiveUser {
    const { accounts, of } = this.#organization;
    const index = this.users.length;
    const account = accounts[index];
    if (!account) throw new Error("the organization has no more users");
    const lists = {
      public: of.public[index] ?? [],
      private: of.private[index] ?? [],
      group: of.group[index] ?? [],
      direct: of.direct[index] ?? [],
    };
    const user: ActiveUser = {
      name: `user ${index + 1}`,
      weight: 1 + random.integer(2 ** 32 - 2),
      places: [...lists.public, ...lists.private, ...lists.group, ...lists.direct],
      lastEventId: -1,
      isPresent: false,
      newcomer: undefined,
      index,
      account: { ...account },
      factor: paceAt(random.next()),
      lists,
      queueId: "",
      feed: undefined,
      presenceUpdateId: -1,
      drafts: [],
      marked: new Map(),
    };
    this.users.push(user);
    return user;
  }

  /** The user has registered and begins to read. */
  begin(user: ActiveUser, queue: Queue): void {
    user.queueId = queue.id;
    user.presenceUpdateId = queue.presenceUpdateId;
    this.#ledger.arrive(user, queue.lastEventId, performance.now());
    user.feed = this.#feed(user);
  }

  /** The user's connection is gone, and with it the queue. */
  abandon(user: ActiveUser): void {
    user.feed?.close();
    user.feed = undefined;
    this.#ledger.leave(user);
  }

  end(): void {
    for (const { feed } of this.users) feed?.close();
  }

  /** Reads that should have had a heartbeat long ago start over. */
  giveUp(now: number): void {
    for (const { feed } of this.users) if (feed && now - feed.silentSince > silenceMilliseconds) feed.restart();
  }

  #feed(user: ActiveUser): Feed {
    const { host, port } = this.#nodes[user.index % this.#nodes.length] ?? { host: "", port: 0 };
    return new (this.#reads === "streams" ? StreamFeed : PollFeed)({
      host,
      port,
      account: user.account,
      queueId: user.queueId,
      position: () => user.lastEventId,
      onEvents: (events, at) => this.#take(user, events, at),
      onPosition: (eventId) => {
        user.lastEventId = Math.max(user.lastEventId, eventId);
      },
      onGone: (text) => {
        this.#ledger.complain(`${user.name}: the queue is gone: ${text.slice(0, 200)}`);
        this.abandon(user);
        this.onGone(user);
      },
      onFailure: (status, reason) => this.measures.noteFailure("read events", status, reason),
    });
  }

  #take(user: ActiveUser, { eventIds, types, messageIds }: Scanned, at: number): void {
    this.measures.reads++;
    this.measures.noteEvents(types);
    for (const [index, eventId] of eventIds.entries()) {
      const message = messageIds[index] ?? 0;
      if (message > 0) this.#ledger.deliver(user, eventId, message, at);
      else this.#ledger.advance(user, eventId);
    }
  }
}
