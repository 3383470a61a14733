/** Keys as labeled on the reader's keyboard: `Mod+Shift+L` is ⌘ ⇧ L on a Mac, Ctrl Shift L elsewhere. */

const isMac = (): boolean => /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

const everywhere = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  PageUp: "PgUp",
  PageDown: "PgDn",
};
const onMac: Record<string, string> = { ...everywhere, Mod: "⌘", Ctrl: "⌃", Shift: "⇧", Alt: "⌥", Enter: "↩" };
const elsewhere: Record<string, string> = { ...everywhere, Mod: "Ctrl" };

export function keyLabels(keys: string): string[] {
  const words = isMac() ? onMac : elsewhere;
  // A plus at the end of the text is the key itself.
  return keys.split(/\+(?=.)/).map((key) => words[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}

/** For code outside components. */
export function keyCaps(keys: string | undefined, className: string): HTMLElement[] {
  if (keys === undefined || keys === "") return [];
  const element = document.createElement("kbd");
  element.className = className;
  element.textContent = keyLabels(keys).join(" ");
  return [element];
}

export const Keys = ({ keys, class: className }: { keys: string; class?: string | undefined }) => (
  <kbd class={className}>{keyLabels(keys).join(" ")}</kbd>
);
