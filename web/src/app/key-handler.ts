/** Finds the action of a key and runs it. */
import { isSignedOut } from "../api/session.ts";
import { focusComposer } from "../commands/composer-handle.ts";
import { keyTable } from "../commands/keys.ts";
import { hasSingleKeys } from "../store/single-keys.ts";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export function startKeys(): () => void {
  document.addEventListener("keydown", handle);
  return () => document.removeEventListener("keydown", handle);
}

function handle(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isSignedOut.peek()) return;
  if (document.querySelector("dialog[open]:modal") || isInMenu(event.target)) return;
  const isWriting = isTextField(event.target);
  if (!isWriting && !hasSingleKeys.peek() && isCharacter(event)) {
    // The character goes to the field that has focus by the time it is inserted.
    if (!isOwnKey(event)) focusComposer();
    return;
  }
  for (const binding of keyTable) {
    if (isWriting && !binding.isEverywhere) continue;
    if (!binding.keys.some((keys) => isPressed(keys, event))) continue;
    if (isOwnKey(event)) return;
    if (binding.run() === false) return;
    event.preventDefault();
    return;
  }
}

/** Floating layers handle their own keys. */
const isInMenu = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("[popover]:popover-open") !== null;

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])"));

/** What a key types, other than space, which scrolls. */
const isCharacter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;

/** Enter and space on a link or button, arrows in a menu or a row of tabs: the element handles these itself. */
function isOwnKey({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === "Enter" || key === " ") return target.closest("a[href], button, summary, [role=button]") !== null;
  return key.startsWith("Arrow") && target.closest("[role=menu], [role=tablist], [role=listbox]") !== null;
}

/** By the character typed; on non-Latin layouts by the key's position. */
export function isPressed(keys: string, event: KeyboardEvent): boolean {
  const parts = keys.split(/\+(?=.)/);
  const key = parts.pop() ?? "";
  const mod = parts.includes("Mod");
  const ctrl = parts.includes("Ctrl") || (mod && !isMac);
  const meta = mod && isMac;
  if (event.ctrlKey !== ctrl || event.metaKey !== meta || event.altKey !== parts.includes("Alt")) return false;
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  // A character may need Shift on one keyboard and not on another.
  if (!isSign && event.shiftKey !== (parts.includes("Shift") || isCapital(key, parts))) return false;
  if (key === "Space") return event.key === " ";
  if (event.key.toLowerCase() === key.toLowerCase()) return true;
  return /^[a-z]$/i.test(key) && !/^[\p{Script=Latin}]$/u.test(event.key) && event.code === `Key${key.toUpperCase()}`;
}

const isCapital = (key: string, parts: string[]): boolean => parts.length === 0 && /^[A-Z]$/.test(key);
