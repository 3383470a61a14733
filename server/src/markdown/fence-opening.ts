/** The line that opens a fenced block: ``` or ~~~, optionally followed by a tag and a header. */

export interface FenceOpening {
  fence: string;
  /** Lowercase. */
  tag: string | undefined;
  header: string | undefined;
}

const opening = /^(`{3,}|~{3,}) *(?:\{?\.?([A-Za-z0-9_+,\-./#]+) *([^ ~`][^~`]*)?\}?)?$/;

/** Whether there is a backtick or tilde after the fence. Neither a tag nor a header may contain one. */
function hasFenceCharacterAfter(line: string): boolean {
  let end = 3;
  while (line[end] === line[0]) end++;
  return line.includes("`", end) || line.includes("~", end);
}

export function fenceOpening(line: string): FenceOpening | undefined {
  if (!line.startsWith("```") && !line.startsWith("~~~")) return undefined;
  // Checked first, because the pattern would try every way to divide such a line into tag and header.
  if (hasFenceCharacterAfter(line)) return undefined;
  const found = opening.exec(line);
  if (found === null) return undefined;
  const [, fence = "", tag, header] = found;
  return { fence, tag: tag?.toLowerCase(), header };
}

export const isQuoteTag = (tag: string | undefined): boolean => tag === "quote" || tag === "quoted";
