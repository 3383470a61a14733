/**
 * The sidebar. On wide screens it is beside the page, as wide as the user made it, or hidden. On narrow ones it is a drawer
 * over the page, which closes on navigation. Its width and whether it is hidden are remembered in this browser.
 */
import { effect, signal } from "@preact/signals";
import { isRecord, readStored, store } from "../store/storage.ts";

export const isDrawerOpen = signal(false);

/** In pixels. */
export const sidebarWidths = { least: 200, usual: 264, most: 480 } as const;

const storedAs = "skein-sidebar";

function remembered(): { width: number; isHidden: boolean } {
  const kept = readStored("local", storedAs);
  const { width, isHidden } = isRecord(kept) ? kept : {};
  return { width: typeof width === "number" ? within(width) : sidebarWidths.usual, isHidden: isHidden === true };
}

const within = (width: number): number =>
  Math.round(Math.min(sidebarWidths.most, Math.max(sidebarWidths.least, width)));

export const sidebar = signal(remembered());

/** The page's style sheets read these. */
export const applySidebar = (): (() => void) =>
  effect(() => {
    const { style, dataset } = document.documentElement;
    style.setProperty("--sidebar", `${sidebar.value.width}px`);
    dataset["sidebar"] = sidebar.value.isHidden ? "hidden" : "";
  });

function change(to: Partial<typeof sidebar.value>): void {
  sidebar.value = { ...sidebar.peek(), ...to };
  store("local", storedAs, sidebar.peek());
}

export const resizeSidebar = (width: number): void => change({ width: within(width) });

export const hideSidebar = (): void => change({ isHidden: true });

/** As a drawer where there is no room beside the page. */
export function openSidebar(): void {
  if (matchMedia("(min-width: 1024px)").matches) {
    if (sidebar.peek().isHidden) change({ isHidden: false });
  } else isDrawerOpen.value = true;
}

export const closeDrawer = (): void => {
  isDrawerOpen.value = false;
};
