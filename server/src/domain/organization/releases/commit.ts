/** The commit that this release was built from. A release has another file here (release/bundle.ts); a checkout has none. */
export const commit: string | undefined = undefined;
