/** The filter of the sidebar's lists. */
import { signal } from "@preact/signals";

export const filter = signal("");
