/** Starts notifications outside the page. Loaded after the page is ready: nothing waits for it. */
import { startDesktopNotifications } from "./desktop.ts";
import { startIconCount } from "./icon-count.ts";
import { suggestTimeZone } from "./suggest-time-zone.ts";

export function startNotifications(): void {
  startIconCount();
  startDesktopNotifications();
  suggestTimeZone();
}
