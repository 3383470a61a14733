/** How many people one event or one change of the log names at most. */
const namedAtOnce = 10_000;

/** The ids in pieces that fit one event each. */
export function inChunks(ids: readonly number[]): number[][] {
  const chunks: number[][] = [];
  for (let start = 0; start < ids.length; start += namedAtOnce) chunks.push(ids.slice(start, start + namedAtOnce));
  return chunks;
}
