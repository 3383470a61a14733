/**
 * Messages being sent. Each is stored before it is sent, and stays stored until it is known to have arrived, so a failure or
 * a reload neither loses it nor sends it twice.
 *
 *   sending → sent      the server responded with the id; the row waits for the message event
 *           → failed    the server refused: its error message is kept with the text
 *           → sending   no response: check whether it arrived before sending it again
 *
 * **Invariant:** each conversation has at most one message in flight, in the order they were written.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import { conversationKey, type Conversation } from "./conversations.ts";

export interface Outgoing {
  readonly localId: string;
  readonly conversation: Conversation;
  readonly content: string;
  /** In seconds, like message timestamps. */
  readonly writtenAt: number;
  /** The newest message id at the time: a lookup searches only newer ones. */
  readonly afterId: number;
  readonly state: "sending" | "sent" | "failed";
  /** It was sent, but there was no response. */
  readonly isUncertain: boolean;
  readonly messageId?: number;
  /** The server's error message, if it sent one. */
  readonly reason?: string;
}

export interface OutboxDependencies {
  /** Returns the id. */
  send: (outgoing: Outgoing) => Promise<number>;
  /** The id of the message if it has already arrived; never one of `claimed`. */
  find: (outgoing: Outgoing, claimed: ReadonlySet<number>) => Promise<number | undefined>;
  /** Resolves when the server has responded again, and accepts changes. */
  untilConnected: () => Promise<void>;
  /** Whether the server refuses all changes for maintenance. They only have to wait. */
  isReadOnly: () => boolean;
  /** For a message that got no response this many times although the server is up. */
  pause: (failures: number) => Promise<void>;
  /** Stores an entry, or deletes it when undefined. It may fail or be slow; sending does not depend on it. */
  keep: (localId: string, outgoing: Outgoing | undefined) => Promise<void>;
  newestId: () => number;
}

/** How long sending waits for the browser to store the message. */
const maxStoreTime = 1000;
/** This many failures in a row are not a coincidence. */
const maxServerErrors = 3;

export class Outbox {
  readonly #needs: OutboxDependencies;
  readonly #entries = signal<readonly Outgoing[]>([]);
  readonly #busy = new Set<string>();
  #count = 0;

  constructor(needs: OutboxDependencies) {
    this.#needs = needs;
  }

  readonly entries: ReadonlySignal<readonly Outgoing[]> = computed(() => this.#entries.value);

  /** Resumes messages left behind by an earlier page; whether they were sent is unknown. */
  resume(left: readonly Outgoing[]): void {
    const uncertain = left
      .filter((outgoing) => outgoing.state !== "sent")
      .map((outgoing) => (outgoing.state === "sending" ? { ...outgoing, isUncertain: true } : outgoing));
    this.#entries.value = [...uncertain, ...this.#entries.peek()].toSorted(
      (a, b) => a.writtenAt - b.writtenAt || (a.localId < b.localId ? -1 : 1),
    );
    for (const { conversation } of uncertain) void this.#work(conversation);
  }

  /** The row is visible when this returns. */
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
    // Store it at once: messages ahead of it may delay it for long.
    void this.#keep(outgoing.localId, outgoing);
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
    void this.#keep(localId, undefined);
  }

  /** The message itself has arrived. */
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
        await this.#keep(next.localId, next);
        await this.#settle(next.localId);
      }
    } finally {
      this.#busy.delete(key);
    }
  }

  /** Returns when the message is sent, was refused, or has arrived in the meantime. */
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
        if (!(error instanceof NoResponse)) {
          this.#failed(localId, undefined);
          reportError(error);
          return;
        }
        const isServerError = error.status !== undefined && !this.#needs.isReadOnly();
        if (isServerError && ++serverErrors >= maxServerErrors) {
          this.#failed(localId, undefined);
          return;
        }
        this.#update(localId, (each) => ({ ...each, isUncertain: true }));
        await this.#needs.untilConnected();
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
    void this.#keep(localId, undefined);
  }

  #failed(localId: string, reason: string | undefined): void {
    this.#update(localId, (each) => ({ ...each, state: "failed", ...(reason === undefined ? {} : { reason }) }));
    const failed = this.#find(localId);
    if (failed) void this.#keep(localId, failed);
  }

  /** Resolves when the message is stored, or cannot be; in that case it exists only until the page is closed. */
  async #keep(localId: string, outgoing: Outgoing | undefined): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resume) => {
      timer = setTimeout(resume, maxStoreTime);
    });
    await Promise.race([this.#needs.keep(localId, outgoing), late]).catch(() => undefined);
    clearTimeout(timer);
  }
}
