import type { Found } from "../ui/finder.tsx";

/** Something the palette can find. */
export interface Entry extends Found {
  /** Among equally good matches, the higher one comes first. */
  weight?: number;
  run: () => void;
}
