/** A topic is resolved when its name starts with this mark. */
export const resolvedMark = "✔ ";

/** Whether the names differ only by the mark. */
export const isResolution = (before: string, after: string): boolean =>
  after === resolvedMark + before || before === resolvedMark + after;
