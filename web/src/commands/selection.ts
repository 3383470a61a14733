/** The message that keys act on: the focused one, or the one focused last. */
import { signal } from "@preact/signals";

export const selectedKey = signal<string | undefined>(undefined);

/** What the list on screen can do for the keys. */
export interface ListControls {
  /** Moves selection and focus by this many rows. */
  move: (by: number) => void;
  moveToStart: () => void;
  moveToEnd: () => void;
  /** Focuses the selected message, or the one last on screen. */
  focus: () => void;
  page: (by: 1 | -1) => void;
  /** What is in view stays in place at the next change of a row's height, even at the end of the list. */
  stay?: () => void;
}

export const listControls = signal<ListControls | undefined>(undefined);

/** The open topic's menu, for the key that opens it. */
export const visibilityMenu: { current: HTMLElement | null } = { current: null };

/** The filter of the sidebar, for the key that focuses it. */
export const filterField: { current: HTMLInputElement | null } = { current: null };
