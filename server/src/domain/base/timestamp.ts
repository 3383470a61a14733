/** Times go over the wire as whole seconds since 1970. */
export const toTimestamp = (time: Date): number => Math.floor(time.getTime() / 1000);
