/** Shows the unread count outside the page: on the tab's icon and on a desktop app's. */
import { effect } from "@preact/signals";
import { part } from "../store/state.ts";
import { iconCount, unreadCount } from "../store/unread.ts";
import { iconWithCount } from "./icon-with-count.ts";

/** What a desktop app around the page listens to. */
interface ElectronBridge {
  send_event: (name: string, value: string | number) => void;
}

const bridge = (): ElectronBridge | undefined => (globalThis as { electron_bridge?: ElectronBridge }).electron_bridge;

export function startIconCount(): () => void {
  const stops = [
    effect(() => {
      document.querySelector('link[rel="icon"]')?.setAttribute("href", iconWithCount(iconCount.value));
    }),
    effect(() => bridge()?.send_event("total_unread_count", unreadCount.value)),
    effect(() => bridge()?.send_event("realm_name", part("realm_name").value ?? "")),
    effect(() => {
      const icon = part("realm_icon_url").value;
      if (icon !== undefined) bridge()?.send_event("realm_icon_url", new URL(icon, location.href).href);
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
