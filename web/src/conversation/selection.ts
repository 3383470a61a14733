/** The message that keys act on: the one with focus, or the one that had it last. */
import { signal } from "@preact/signals";

export const selectedKey = signal<string | undefined>(undefined);

/** What the list on screen can do for the keys. */
export interface ListControls {
  /** Moves the selection by so many rows, and focus with it. */
  move: (by: number) => void;
  moveToStart: () => void;
  moveToEnd: () => void;
  /** Gives focus to the selected message, or the one last on screen. */
  focus: () => void;
  page: (by: 1 | -1) => void;
}

export const listControls = signal<ListControls | undefined>(undefined);

/** The menu of the open topic, for the key that opens it. */
export const visibilityMenu: { current: HTMLElement | null } = { current: null };
