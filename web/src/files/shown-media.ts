/** The images and videos open in the viewer. */
import { signal } from "@preact/signals";
import type { Media } from "../content/reader.ts";

interface ShownMedia {
  media: readonly Media[];
  index: number;
}

export const shownMedia = signal<ShownMedia | undefined>(undefined);

export function showMedia(media: readonly Media[], index: number): void {
  shownMedia.value = { media, index };
}

export const hideMedia = (): void => {
  shownMedia.value = undefined;
};
