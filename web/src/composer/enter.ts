/** What Enter means here: it sends or breaks the line by the setting, the other with Ctrl or ⌘; Shift always breaks. */

interface EnterKey {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing: boolean;
}

export function meaningOfEnter(event: EnterKey, enterSends: boolean): "send" | "break" | undefined {
  // An input method takes Enter for itself.
  if (event.key !== "Enter" || event.isComposing || event.altKey) return undefined;
  if (event.shiftKey) return "break";
  return (event.ctrlKey || event.metaKey) === enterSends ? "break" : "send";
}
