/** Escape goes back one step: closes the drawer, then the panel, then moves from messages to an unfinished text, and otherwise goes home. */
import { composerHandle } from "./composer-handle.ts";
import { part } from "../store/state.ts";
import { closeDrawer, isDrawerOpen } from "../navigation/drawer.ts";
import { closePanel, go, panel, place } from "../navigation/router.ts";

export function leaveOneStep(): boolean {
  if (isDrawerOpen.peek()) {
    closeDrawer();
    return true;
  }
  if (panel.peek()) {
    closePanel();
    return true;
  }
  // What is being written is not left by accident.
  const composer = composerHandle.peek();
  if (place.peek().kind === "conversation" && composer && composer.text().trim() !== "") {
    composer.focus();
    return true;
  }
  const goesHome = part("user_settings").peek()?.web_escape_navigates_to_home_view ?? true;
  if (!goesHome || place.peek().kind === "inbox") return false;
  go({ kind: "inbox", tab: "unread" });
  return true;
}
