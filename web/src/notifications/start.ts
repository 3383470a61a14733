/** What tells of messages outside the page. Loaded when the page is there: nothing waits for it. */
import { startDesktopNotifications } from "./desktop.ts";
import { startIconCount } from "./icon-count.ts";

export function startNotifications(): void {
  startIconCount();
  startDesktopNotifications();
}
