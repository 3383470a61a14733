/**
 * The presence of one organization's users, as known to a node. Reports only ever move times forward, so neither their
 * order nor duplicates matter.
 *
 * Each report has an id, its position in the log; `since` finds the reports after an id. Reports arrive in the order of
 * their ids, so the list of changes is sorted. Changes replaced by a later one of the same user are skipped, and removed
 * when they are the majority.
 */
import type { PresenceReport } from "../../../events/log-format.ts";

export interface Presence {
  userId: number;
  /** Milliseconds; 0: never. */
  activeAt: number;
  connectedAt: number;
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

  /** Sets the stored presence; call once. */
  begin(presences: Iterable<Presence>): void {
    for (const presence of presences) this.#merge(presence);
    this.#changes = [...this.#people.values()].toSorted((a, b) => a.updateId - b.updateId);
  }

  report([userId, activeAt, connectedAt]: PresenceReport, updateId: number): void {
    if (!this.#merge({ userId, activeAt, connectedAt, updateId })) return;
    this.#changes.push({ updateId, userId });
    if (this.#changes.length > 2 * this.#people.size + fewChanges)
      this.#changes = this.#changes.filter((change) => this.#isNewest(change));
  }

  /** Discards the user's reports from before that moment, including those that arrive later. */
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

  /** The users with a report after this id. */
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

  /** Returns whether it is the user's newest report. */
  #merge({ userId, activeAt, connectedAt, updateId }: Presence): boolean {
    if (this.isHidden(userId, connectedAt)) return false;
    const known = this.#people.get(userId);
    this.#people.set(userId, {
      userId,
      activeAt: Math.max(known?.activeAt ?? 0, activeAt),
      connectedAt: Math.max(known?.connectedAt ?? 0, connectedAt),
      updateId: Math.max(known?.updateId ?? 0, updateId),
    });
    return updateId > (known?.updateId ?? 0);
  }
}
