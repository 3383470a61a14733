/** Extracts e-mail addresses from pasted text: lists, lines, `Name <address>`, a spreadsheet column. */

const inBrackets = /<([^<>\s]+@[^<>\s]+)>/;
const addressPattern = /^[^\s@<>(),;:"[\]]+@[^\s@<>(),;:"[\]]+\.[^\s@<>(),;:"[\].]+$/u;

export interface FoundAddress {
  address: string;
  isValid: boolean;
}

export function findAddresses(text: string): FoundAddress[] {
  const found = new Map<string, FoundAddress>();
  for (const piece of text.split(/[,;\n\r\t]+/)) {
    const bracketed = inBrackets.exec(piece)?.[1];
    const words = bracketed === undefined ? piece.split(/\s+/) : [bracketed];
    // Names between addresses are dropped, unless there is nothing else to show the user what went wrong.
    const addresses = words.filter((word) => word.includes("@"));
    for (const word of addresses.length > 0 ? addresses : words) {
      const address = word.replaceAll(/^[<("'[]+|[>)"'\].]+$/g, "");
      if (address !== "") found.set(address.toLowerCase(), { address, isValid: addressPattern.test(address) });
    }
  }
  return [...found.values()];
}
