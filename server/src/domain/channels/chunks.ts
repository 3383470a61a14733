/** How many people one event or one change of the log names at most. */
const namedAtOnce = 10_000;

/** Ids, or other things of which fewer fit, in pieces of one event each. */
export function inChunks<T = number>(all: readonly T[], most = namedAtOnce): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < all.length; start += most) chunks.push(all.slice(start, start + most));
  return chunks;
}
