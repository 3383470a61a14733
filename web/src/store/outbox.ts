/**
 * Messages on their way. One is written down before it is sent, and stays until it is known to be there, so neither a
 * failure nor a reload loses it, and none goes out twice.
 *
 *   sending → sent      the server answered with the id; the row waits for the message itself
 *           → failed    the server refused: its words are kept with the text
 *           → sending   no answer: whether it arrived is looked up before it is sent again
 *
 * **Invariant:** within a conversation one is under way at a time, in the order they were written.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { NoAnswer, Refusal } from "../api/failures.ts";
import { conversationKey, type Conversation } from "./conversations.ts";

export interface Outgoing {
  readonly localId: string;
  readonly conversation: Conversation;
  readonly content: string;
  /** In seconds, as messages have it. */
  readonly writtenAt: number;
  /** The newest message there was: what is looked for is newer. */
  readonly afterId: number;
  readonly state: "sending" | "sent" | "failed";
  /** It was sent, and there was no answer. */
  readonly isUncertain: boolean;
  readonly messageId?: number;
  /** The server's words; absent when it had none. */
  readonly reason?: string;
}

export interface OutboxNeeds {
  /** Gives back the id. */
  send: (outgoing: Outgoing) => Promise<number>;
  /** The id of the message if it is there already; never one of `claimed`. */
  find: (outgoing: Outgoing, claimed: ReadonlySet<number>) => Promise<number | undefined>;
  /** Resolves when the server has been heard of anew. */
  untilHeard: () => Promise<void>;
  /** For a message that has gone unanswered so often though the server is there. */
  pause: (failures: number) => Promise<void>;
  /** Writes down, or forgets what is undefined. */
  keep: (localId: string, outgoing: Outgoing | undefined) => Promise<void>;
  newestId: () => number;
}

/** A server that fails this often in a row does not fail by chance. */
const maxServerErrors = 3;

export class Outbox {
  readonly #needs: OutboxNeeds;
  readonly #entries = signal<readonly Outgoing[]>([]);
  readonly #busy = new Set<string>();
  #count = 0;

  constructor(needs: OutboxNeeds) {
    this.#needs = needs;
  }

  readonly entries: ReadonlySignal<readonly Outgoing[]> = computed(() => this.#entries.value);

  /** Takes up what an earlier page left behind: nobody knows how far it got. */
  resume(left: readonly Outgoing[]): void {
    const uncertain = left
      .filter((outgoing) => outgoing.state !== "sent")
      .map((outgoing) => (outgoing.state === "sending" ? { ...outgoing, isUncertain: true } : outgoing));
    this.#entries.value = [...uncertain, ...this.#entries.peek()].toSorted(
      (a, b) => a.writtenAt - b.writtenAt || (a.localId < b.localId ? -1 : 1),
    );
    for (const { conversation } of uncertain) void this.#work(conversation);
  }

  /** The row is there when this returns. */
  add(conversation: Conversation, content: string): Outgoing {
    const outgoing: Outgoing = {
      localId: `${Date.now().toString(36)}.${(this.#count++).toString(36)}.${Math.random().toString(36).slice(2, 8)}`,
      conversation,
      content,
      writtenAt: Date.now() / 1000,
      afterId: this.#needs.newestId(),
      state: "sending",
      isUncertain: false,
    };
    this.#entries.value = [...this.#entries.peek(), outgoing];
    // At once: those before it may keep it waiting for long.
    void this.#needs.keep(outgoing.localId, outgoing);
    void this.#work(conversation);
    return outgoing;
  }

  retry(localId: string): void {
    const outgoing = this.#find(localId);
    if (outgoing?.state !== "failed") return;
    const { reason: _reason, ...rest } = outgoing;
    this.#replace({ ...rest, state: "sending" });
    void this.#work(outgoing.conversation);
  }

  discard(localId: string): void {
    this.#remove(localId);
    void this.#needs.keep(localId, undefined);
  }

  /** The message itself has come. */
  arrived(id: number, localId: string | undefined): void {
    const found = this.#entries.peek().find((each) => each.localId === localId || each.messageId === id);
    if (found) this.discard(found.localId);
  }

  #find(localId: string): Outgoing | undefined {
    return this.#entries.peek().find((outgoing) => outgoing.localId === localId);
  }

  #replace(next: Outgoing): void {
    this.#entries.value = this.#entries.peek().map((each) => (each.localId === next.localId ? next : each));
  }

  #remove(localId: string): void {
    this.#entries.value = this.#entries.peek().filter((each) => each.localId !== localId);
  }

  async #work(conversation: Conversation): Promise<void> {
    const key = conversationKey(conversation);
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    try {
      for (;;) {
        const next = this.#entries
          .peek()
          .find((each) => each.state === "sending" && conversationKey(each.conversation) === key);
        if (!next) return;
        await this.#needs.keep(next.localId, next);
        await this.#settle(next.localId);
      }
    } finally {
      this.#busy.delete(key);
    }
  }

  /** Returns when the message is sent, refused, or has come by itself meanwhile. */
  async #settle(localId: string): Promise<void> {
    for (let serverErrors = 0, failures = 0; ;) {
      const outgoing = this.#find(localId);
      if (!outgoing) return;
      try {
        const found = outgoing.isUncertain ? await this.#needs.find(outgoing, this.#claimed()) : undefined;
        this.#sent(localId, found ?? (await this.#needs.send(outgoing)));
        return;
      } catch (error) {
        if (error instanceof Refusal) {
          this.#failed(localId, error.message);
          return;
        }
        if (!(error instanceof NoAnswer)) throw error;
        if (error.status !== undefined && ++serverErrors >= maxServerErrors) {
          this.#failed(localId, undefined);
          return;
        }
        this.#update(localId, (each) => ({ ...each, isUncertain: true }));
        await this.#needs.untilHeard();
        if (failures++ > 0) await this.#needs.pause(failures);
      }
    }
  }

  #update(localId: string, next: (outgoing: Outgoing) => Outgoing): void {
    const outgoing = this.#find(localId);
    if (outgoing) this.#replace(next(outgoing));
  }

  #claimed(): ReadonlySet<number> {
    return new Set(this.#entries.peek().flatMap(({ messageId }) => messageId ?? []));
  }

  #sent(localId: string, messageId: number): void {
    this.#update(localId, (each) => ({ ...each, state: "sent", messageId }));
    void this.#needs.keep(localId, undefined);
  }

  #failed(localId: string, reason: string | undefined): void {
    this.#update(localId, (each) => ({ ...each, state: "failed", ...(reason === undefined ? {} : { reason }) }));
    const failed = this.#find(localId);
    if (failed) void this.#needs.keep(localId, failed);
  }
}
