/**
 * Whether single letters and signs are shortcuts, on this device: who dictates or types by accident can turn them off. Keys
 * with Ctrl, ⌘ or Alt always work.
 */
import { signal } from "@preact/signals";
import { readStored, store } from "./storage.ts";

const storageKey = "skein.single-keys";

export const hasSingleKeys = signal(readStored("local", storageKey) !== false);

export function setSingleKeys(value: boolean): void {
  hasSingleKeys.value = value;
  store("local", storageKey, value);
}
