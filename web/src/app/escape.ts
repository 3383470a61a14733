/** Escape goes back one step: out of the drawer, out of the panel, out of the messages to the composer's place, at last home. */
import { part } from "../store/state.ts";
import { closeDrawer, isDrawerOpen } from "./drawer.ts";
import { closePanel, go, panel, place } from "./router.ts";

export function leaveOneStep(): boolean {
  if (isDrawerOpen.peek()) {
    closeDrawer();
    return true;
  }
  if (panel.peek()) {
    closePanel();
    return true;
  }
  const goesHome = part("user_settings").peek()?.web_escape_navigates_to_home_view ?? true;
  if (!goesHome || place.peek().kind === "inbox") return false;
  go({ kind: "inbox", tab: "unread" });
  return true;
}
