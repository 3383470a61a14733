/**
 * When the people of one organization were last there, as a node knows it. Reports only ever move times forward, so it
 * does not matter in which order, or how often, they come.
 *
 * Each report has an id, its place in the log; `since` finds what came after one. Reports arrive in the order of their
 * ids, so that the changes stand in order; those that a later one of the same person has replaced are passed over, and
 * thrown out when they are most.
 */
import type { PresenceReport } from "../../events/log-format.ts";

export interface Presence {
  userId: number;
  /** Milliseconds; 0: never. */
  seenAt: number;
  heardAt: number;
  updateId: number;
}

interface Change {
  updateId: number;
  userId: number;
}

const fewChanges = 1000;

export class RealmPresences {
  readonly #people = new Map<number, Presence>();
  readonly #hiddenAt = new Map<number, number>();
  #changes: Change[] = [];

  /** What was known before anything was heard; once. */
  begin(presences: Iterable<Presence>): void {
    for (const presence of presences) this.#merge(presence);
    this.#changes = [...this.#people.values()].toSorted((a, b) => a.updateId - b.updateId);
  }

  report([userId, seenAt, heardAt]: PresenceReport, updateId: number): void {
    if (!this.#merge({ userId, seenAt, heardAt, updateId })) return;
    this.#changes.push({ updateId, userId });
    if (this.#changes.length > 2 * this.#people.size + fewChanges)
      this.#changes = this.#changes.filter((change) => this.#isNewest(change));
  }

  /** What was reported of them before that moment is forgotten, even if it is heard of later. */
  hide(userId: number, at: number): void {
    this.#hiddenAt.set(userId, at);
    this.#people.delete(userId);
  }

  isHidden(userId: number, at: number): boolean {
    return at <= (this.#hiddenAt.get(userId) ?? 0);
  }

  find(userId: number): Presence | undefined {
    return this.#people.get(userId);
  }

  get lastUpdateId(): number | undefined {
    return this.#changes.at(-1)?.updateId;
  }

  /** Everybody of whom there was a report after this one. */
  *since(updateId: number): Iterable<Presence> {
    for (let at = this.#firstAfter(updateId); at < this.#changes.length; at++) {
      const change = this.#changes[at];
      const presence = change && this.#isNewest(change) ? this.#people.get(change.userId) : undefined;
      if (presence) yield presence;
    }
  }

  #isNewest({ userId, updateId }: Change): boolean {
    return this.#people.get(userId)?.updateId === updateId;
  }

  #firstAfter(updateId: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.updateId ?? 0) > updateId) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Whether it is the newest report of this person. */
  #merge({ userId, seenAt, heardAt, updateId }: Presence): boolean {
    if (this.isHidden(userId, heardAt)) return false;
    const known = this.#people.get(userId);
    this.#people.set(userId, {
      userId,
      seenAt: Math.max(known?.seenAt ?? 0, seenAt),
      heardAt: Math.max(known?.heardAt ?? 0, heardAt),
      updateId: Math.max(known?.updateId ?? 0, updateId),
    });
    return updateId > (known?.updateId ?? 0);
  }
}
