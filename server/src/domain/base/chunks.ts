/** The most users that one event or one log entry may name. */
const maxPerEvent = 10_000;

/** Splits ids into chunks that fit into one event; pass a smaller `size` for larger items. */
export function inChunks<T = number>(all: readonly T[], size = maxPerEvent): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < all.length; start += size) chunks.push(all.slice(start, start + size));
  return chunks;
}
