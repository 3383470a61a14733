/** The active users: each has a queue, reads it without pause on a connection of its own, and is known to the ledger. */
import type { Random } from "../../faults/random.ts";
import { pollRequest, type Account } from "../request.ts";
import type { Ledger, Reader } from "./ledger.ts";
import { Line, type Answer } from "./line.ts";
import { Measures } from "./measures.ts";
import { paceAt } from "./model.ts";
import type { Conversation, Organization, Topic } from "./organization.ts";
import { scanEvents } from "./scan.ts";

/** Longer than a heartbeat takes. */
const silenceMilliseconds = 90_000;
const pauseAfterFailure = 500;

export interface ActiveUser extends Reader {
  readonly index: number;
  readonly account: Account;
  /** How many times longer than the busiest this user pauses. */
  readonly factor: number;
  readonly lists: Record<Conversation["kind"], Conversation[]>;
  queueId: string;
  line: Line | undefined;
  readSince: number;
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
  #isOver = false;

  constructor(urls: readonly string[], ledger: Ledger, organization: Organization) {
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
      line: undefined,
      readSince: 0,
      presenceUpdateId: -1,
      drafts: [],
      marked: new Map(),
    };
    this.users.push(user);
    return user;
  }

  /** The user has registered and begins to read. */
  begin(user: ActiveUser, queue: { id: string; lastEventId: number }): void {
    user.queueId = queue.id;
    this.#ledger.arrive(user, queue.lastEventId, performance.now());
    this.#read(user);
  }

  /** The user's connection is gone, and with it the queue. */
  abandon(user: ActiveUser): void {
    user.line?.close();
    user.line = undefined;
    this.#ledger.leave(user);
  }

  end(): void {
    this.#isOver = true;
    for (const { line } of this.users) line?.close();
  }

  /** Reads that should have had a heartbeat long ago start over. */
  giveUp(now: number): void {
    for (const user of this.users) {
      if (!user.line?.isBusy || now - user.readSince < silenceMilliseconds) continue;
      user.line.close();
      this.#take(user, user.line, { status: 0, text: "", at: now });
    }
  }

  #read(user: ActiveUser): void {
    const { host, port } = this.#nodes[user.index % this.#nodes.length] ?? { host: "", port: 0 };
    let { line } = user;
    if (!line || line.isClosed) {
      line = new Line(host, port, true);
      user.line = line;
    }
    const reading = line;
    user.readSince = performance.now();
    reading.ask(pollRequest(user.account, user.queueId, user.lastEventId), (answer) =>
      this.#take(user, reading, answer),
    );
  }

  #take(user: ActiveUser, line: Line, answer: Answer): void {
    // A response to a connection that was given up.
    if (this.#isOver || user.line !== line) return;
    const { measures } = this;
    if (answer.status === 200) {
      const { eventIds, messageIds } = scanEvents(answer.text);
      measures.reads++;
      measures.events += eventIds.length;
      for (const [index, eventId] of eventIds.entries()) {
        const message = messageIds[index] ?? 0;
        if (message > 0) this.#ledger.deliver(user, eventId, message, answer.at);
        else this.#ledger.advance(user, eventId);
      }
      this.#read(user);
      return;
    }
    if (answer.status === 400) {
      this.#ledger.complain(`${user.name}: the queue is gone: ${answer.text.slice(0, 200)}`);
      this.abandon(user);
      this.onGone(user);
      return;
    }
    measures.noteFailure("read events", answer.status);
    setTimeout(() => {
      if (!this.#isOver && user.line === line) this.#read(user);
    }, pauseAfterFailure);
  }
}
