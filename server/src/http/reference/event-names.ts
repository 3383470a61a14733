/** Events are called by type and op: `drafts add`. In paths they are `drafts-add`. */
export const slugOf = (name: string): string => name.replaceAll(/[ _]/g, "-");
