/** A topic is resolved by its name: a mark stands before it. */
export const resolvedMark = "✔ ";

/** Whether one name is the other with the mark, and nothing else changed. */
export const isResolution = (before: string, after: string): boolean =>
  after === resolvedMark + before || before === resolvedMark + after;
