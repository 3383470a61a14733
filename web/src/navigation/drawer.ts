/** The sidebar on narrow screens: a drawer over the page, which closes on navigation. */
import { signal } from "@preact/signals";

export const isDrawerOpen = signal(false);

export const openDrawer = (): void => {
  isDrawerOpen.value = true;
};

export const closeDrawer = (): void => {
  isDrawerOpen.value = false;
};
