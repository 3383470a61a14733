/** What Enter does: it sends or starts a new line, by the setting; with Ctrl or ⌘ it does the other. Shift always starts a line. */

interface EnterKey {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing: boolean;
}

export function meaningOfEnter(event: EnterKey, enterSends: boolean): "send" | "break" | undefined {
  // Input methods use Enter themselves.
  if (event.key !== "Enter" || event.isComposing || event.altKey) return undefined;
  if (event.shiftKey) return "break";
  return (event.ctrlKey || event.metaKey) === enterSends ? "break" : "send";
}
