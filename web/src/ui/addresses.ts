/** E-mail addresses out of whatever was pasted: lists, lines, `Name <address>`, a spreadsheet's column. */

const inBrackets = /<([^<>\s]+@[^<>\s]+)>/;
const looksRight = /^[^\s@<>(),;:"[\]]+@[^\s@<>(),;:"[\]]+\.[^\s@<>(),;:"[\].]+$/u;

export interface FoundAddress {
  address: string;
  isValid: boolean;
}

export function findAddresses(text: string): FoundAddress[] {
  const found = new Map<string, FoundAddress>();
  for (const piece of text.split(/[,;\n\r\t]+/)) {
    const bracketed = inBrackets.exec(piece)?.[1];
    const words = bracketed === undefined ? piece.split(/\s+/) : [bracketed];
    // Names between the addresses are left out, unless there is nothing else to show what went wrong.
    const addresses = words.filter((word) => word.includes("@"));
    for (const word of addresses.length > 0 ? addresses : words) {
      const address = word.replaceAll(/^[<("'[]+|[>)"'\].]+$/g, "");
      if (address !== "") found.set(address.toLowerCase(), { address, isValid: looksRight.test(address) });
    }
  }
  return [...found.values()];
}
