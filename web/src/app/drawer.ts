/** The sidebar where there is no room beside the page: it comes over it, and goes with the next place. */
import { signal } from "@preact/signals";

export const isDrawerOpen = signal(false);

export const openDrawer = (): void => {
  isDrawerOpen.value = true;
};

export const closeDrawer = (): void => {
  isDrawerOpen.value = false;
};
