/**
 * The browser's storage for small values. It may be full, forbidden or hold unreadable values: nothing here throws, and
 * unreadable values count as missing.
 */
type Area = "local" | "session";

const areaOf = (area: Area): Storage => (area === "local" ? localStorage : sessionStorage);

let isClosed = false;

/** After the account's data is erased, nothing is written any more: the page is about to be left. */
export function closeStorage(): void {
  isClosed = true;
}

export function readStored(area: Area, key: string): unknown {
  try {
    const text = areaOf(area).getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    removeStored(area, key);
    return undefined;
  }
}

export function store(area: Area, key: string, value: unknown): void {
  if (isClosed) return;
  try {
    areaOf(area).setItem(key, JSON.stringify(value));
  } catch {
    // The value is remembered until the page is left.
  }
}

export function removeStored(area: Area, key: string): void {
  try {
    areaOf(area).removeItem(key);
  } catch {
    // Storage that cannot be written holds nothing to remove.
  }
}

export function storedKeys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
