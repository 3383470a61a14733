/** What the lists of the sidebar are filtered by. */
import { signal } from "@preact/signals";

export const filter = signal("");

/** For the key that goes there. */
export const filterField: { current: HTMLInputElement | null } = { current: null };
