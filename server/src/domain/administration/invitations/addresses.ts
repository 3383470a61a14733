/** Parses pasted addresses: separated by lines or commas, plain or as `Name <address>`, possibly with duplicates. */

export function readAddresses(text: string): string[] {
  const addresses = new Map<string, string>();
  for (const item of text.split(/[,\n]/)) {
    const address = (/<([^<>]*)>\s*$/.exec(item)?.[1] ?? item).trim();
    const key = address.toLowerCase();
    if (address !== "" && !addresses.has(key)) addresses.set(key, address);
  }
  return [...addresses.values()];
}
