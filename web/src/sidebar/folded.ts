/** The sections of the sidebar that are collapsed, remembered in this browser. */
import { signal } from "@preact/signals";
import { readStored, store } from "../store/storage.ts";

const storedAs = "skein-folded";

const remembered = readStored("local", storedAs);

const folded = signal<readonly unknown[]>(Array.isArray(remembered) ? remembered : []);

export const isFolded = (section: string): boolean => folded.value.includes(section);

export function toggleFolded(section: string): void {
  folded.value = isFolded(section) ? folded.value.filter((each) => each !== section) : [...folded.value, section];
  store("local", storedAs, folded.value);
}
