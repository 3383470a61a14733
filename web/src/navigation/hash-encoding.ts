/** Encodes text in a fragment as all clients do: with dots in place of percent signs, which would be decoded on the way. */
export const encodeHash = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll(/[.!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");

/** Undefined for text that no client encoded. */
export function decodeHash(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll(".", "%"));
  } catch {
    return undefined;
  }
}
