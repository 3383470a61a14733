import type { Db } from "./db/connect.ts";

/**
 * Caches one value per owner (usually an organization), valid for one version of the owner, for a limited number of owners.
 *
 * **Invariant:** cached values are committed. A transaction may see a version that never commits, and the next change would
 * get the same version; so a value loaded inside a transaction is returned but not cached.
 */
export class VersionedCache<T> {
  readonly #maxEntries: number;
  readonly #entries = new Map<number, { version: number; value: T }>();

  constructor(maxEntries = 1000) {
    this.#maxEntries = maxEntries;
  }

  /** The value of this version, cached or loaded. */
  async get(db: Db, { id, version }: { id: number; version: number }, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(id);
    if (known?.version === version) return known.value;
    const value = await load();
    if (!db.isTransaction) this.keep(id, version, value);
    return value;
  }

  /** The cached value, of any version. */
  newest(id: number): T | undefined {
    return this.#entries.get(id)?.value;
  }

  clear(): void {
    this.#entries.clear();
  }

  keep(id: number, version: number, value: T): void {
    this.#entries.delete(id);
    if (this.#entries.size >= this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value ?? 0);
    this.#entries.set(id, { version, value });
  }
}
