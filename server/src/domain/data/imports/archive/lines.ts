/** The lines of a text file of any size. */

/** Longer lines are reported as undefined. */
const maxLineBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/** Yields the lines that end in each chunk together, without blank ones. */
export async function* lines(chunks: AsyncIterable<Buffer>): AsyncGenerator<(Buffer | undefined)[]> {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length <= maxLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (): Buffer | undefined => {
    const line = length > maxLineBytes ? undefined : pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const found: (Buffer | undefined)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      if (length > 0) found.push(take());
    }
    if (start < chunk.length) add(chunk.subarray(start));
    if (found.length > 0) yield found;
  }
  if (length > 0) yield [take()];
}
