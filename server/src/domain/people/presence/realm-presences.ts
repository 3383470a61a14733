/**
 * The presence of one organization's users, as known to a node. Reports only ever move times forward, so neither their
 * order nor duplicates matter.
 *
 * Each report has an id, its position in the log; `since` finds the reports after an id. Reports arrive in the order of
 * their ids, so the list of changes is sorted. Changes replaced by a later one of the same user are skipped, and removed
 * when they are the majority.
 *
 * In an organization of ten thousand users each of them asks every minute for what the ten thousand have reported since. So
 * the reports that arrived together, under one id, are also kept as text, as long as none of them is replaced; and all reports after
 * an id as text that responses share, because those who ask in the same second asked last in the same second.
 */
import type { PresenceReport } from "../../../events/log-format.ts";
import { SharedText, type TextPiece } from "../../../platform/shared-text.ts";
import { toModernPresence } from "./formats.ts";

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
  /** By id: the newest reports as members of a JSON object. Without those of users who were never active. */
  readonly #texts = new Map<number, string>();
  /** Everything after an id as text, for the clients that ask before the next report arrives. */
  readonly #rests = new Map<number, SharedText | "">();
  readonly #neverActive = new Set<number>();

  /** Sets the stored presence; call once. */
  begin(presences: Iterable<Presence>): void {
    for (const presence of presences) this.#merge(presence);
    this.#changes = [...this.#people.values()].toSorted((a, b) => a.updateId - b.updateId);
  }

  report([userId, activeAt, connectedAt]: PresenceReport, updateId: number): void {
    if (!this.#merge({ userId, activeAt, connectedAt, updateId })) return;
    this.#changes.push({ updateId, userId });
    if (this.#changes.length > 2 * this.#people.size + fewChanges) {
      this.#changes = this.#changes.filter((change) => this.#isNewest(change));
      this.#texts.clear();
    }
  }

  /** Discards the user's reports from before that moment, including those that arrive later. */
  hide(userId: number, at: number): void {
    this.#hiddenAt.set(userId, at);
    this.#forgetText(userId);
    this.#people.delete(userId);
    this.#neverActive.delete(userId);
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

  /**
   * The reports after an id in the modern format, as members of a JSON object in texts, some of which may be empty, and separately
   * those of users who were never active. Leaves out one user.
   */
  textSince(updateId: number, except: number): { texts: TextPiece[]; neverActive: Presence[] } {
    const left = this.#people.get(except)?.updateId ?? 0;
    const texts = left > updateId ? [...this.#runs(updateId, left, except), this.#rest(left)] : [this.#rest(updateId)];
    const neverActive = [...this.#neverActive].flatMap((userId) => {
      const presence = this.#people.get(userId);
      return presence && presence.updateId > updateId && userId !== except ? [presence] : [];
    });
    return { texts, neverActive };
  }

  /** The text of all reports after an id. */
  #rest(updateId: number): SharedText | "" {
    let rest = this.#rests.get(updateId);
    if (rest === undefined) {
      const text = [...this.#runs(updateId, Infinity)].join(",");
      rest = text === "" ? "" : new SharedText(text);
      this.#rests.set(updateId, rest);
    }
    return rest;
  }

  /** The texts of the reports after one id and up to another, those of each id together; none is empty. */
  *#runs(after: number, upTo: number, except?: number): Iterable<string> {
    for (let at = this.#firstAfter(after); at < this.#changes.length;) {
      const id = this.#changes[at]?.updateId ?? 0;
      if (id > upTo) return;
      let end = at + 1;
      while (this.#changes[end]?.updateId === id) end++;
      const text = id === upTo ? this.#write(at, end, except) : this.#textOf(id, at, end);
      if (text !== "") yield text;
      at = end;
    }
  }

  #textOf(updateId: number, from: number, to: number): string {
    let text = this.#texts.get(updateId);
    if (text === undefined) {
      text = this.#write(from, to);
      this.#texts.set(updateId, text);
    }
    return text;
  }

  #write(from: number, to: number, except?: number): string {
    const members: string[] = [];
    for (let at = from; at < to; at++) {
      const change = this.#changes[at];
      const presence = change && this.#isNewest(change) ? this.#people.get(change.userId) : undefined;
      if (!presence || presence.userId === except || presence.activeAt === 0) continue;
      members.push(`"${presence.userId}":${JSON.stringify(toModernPresence(presence, 0))}`);
    }
    return members.join(",");
  }

  #forgetText(userId: number): void {
    const known = this.#people.get(userId);
    if (known) this.#texts.delete(known.updateId);
    this.#rests.clear();
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
    this.#forgetText(userId);
    const merged = {
      userId,
      activeAt: Math.max(known?.activeAt ?? 0, activeAt),
      connectedAt: Math.max(known?.connectedAt ?? 0, connectedAt),
      updateId: Math.max(known?.updateId ?? 0, updateId),
    };
    this.#people.set(userId, merged);
    this.#forgetText(userId);
    if (merged.activeAt === 0) this.#neverActive.add(userId);
    else this.#neverActive.delete(userId);
    return updateId > (known?.updateId ?? 0);
  }
}
