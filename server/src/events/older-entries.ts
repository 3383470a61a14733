/**
 * Entries of the event log that a node no longer holds, or has not held since it started. When its clients come back after a restart,
 * thousands of queues begin at about the same entry. So entries are read in blocks, a block that is being read is not read again, and
 * blocks are kept as long as they are in use.
 */
import type { LogEntry } from "./log-entry.ts";

interface Block {
  entries: Promise<LogEntry[] | undefined>;
  bytes: number;
  usedAt: number;
}

const blockEntries = 500;
const maxBytes = 32 * 1024 * 1024;
const unusedMilliseconds = 10_000;

export class OlderEntries {
  readonly #read: (first: number, count: number) => Promise<LogEntry[] | undefined>;
  /** By their first sequence, least recently used first. */
  readonly #blocks = new Map<number, Block>();

  /** `read` returns so many entries, fewer at the beginning and at the end of the log; undefined if it has none of them. */
  constructor(read: (first: number, count: number) => Promise<LogEntry[] | undefined>) {
    this.#read = read;
  }

  /** The entry and some that follow it; undefined if the log no longer has it. */
  async from(sequence: number): Promise<LogEntry[] | undefined> {
    const first = sequence - (sequence % blockEntries);
    const known = await this.#block(first);
    // When the block was read, the log ended before this entry.
    const isShort = known !== undefined && (known.at(-1)?.sequence ?? 0) < sequence;
    const entries = isShort ? await this.#block(first) : known;
    const start = entries?.findIndex((entry) => entry.sequence === sequence) ?? -1;
    return start < 0 ? undefined : entries?.slice(start);
  }

  /** To be called now and then. */
  forgetUnused(): void {
    const since = Date.now() - unusedMilliseconds;
    for (const [first, { usedAt }] of this.#blocks) if (usedAt < since) this.#blocks.delete(first);
  }

  clear(): void {
    this.#blocks.clear();
  }

  #block(first: number): Block["entries"] {
    const known = this.#blocks.get(first);
    const block = known ?? { entries: this.#read(first, blockEntries), bytes: 0, usedAt: 0 };
    block.usedAt = Date.now();
    this.#blocks.delete(first);
    this.#blocks.set(first, block);
    if (!known) void this.#keepIfComplete(first, block);
    return block.entries;
  }

  async #keepIfComplete(first: number, block: Block): Promise<void> {
    const entries = await block.entries.catch(() => undefined);
    if (this.#blocks.get(first) !== block) return;
    if (entries?.at(-1)?.sequence !== first + blockEntries - 1) {
      this.#blocks.delete(first);
      return;
    }
    block.bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    let bytes = 0;
    for (const one of this.#blocks.values()) bytes += one.bytes;
    for (const [oldest, { bytes: freed }] of this.#blocks) {
      if (bytes <= maxBytes) break;
      this.#blocks.delete(oldest);
      bytes -= freed;
    }
  }
}
