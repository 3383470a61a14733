/** Text in a fragment as all clients write it: per cent signs would be decoded on the way, so a dot stands for them. */
export const encodeHash = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll(/[.!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");

/** Undefined for what no client wrote. */
export function decodeHash(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll(".", "%"));
  } catch {
    return undefined;
  }
}
