/** The composer's own keys, for the list of shortcuts. Composer and toolbar handle them. */
import "../text/chunks/keys.ts";
import { formatKeys } from "../composer/toolbar.tsx";
import { part } from "../store/state.ts";
import type { TextKey } from "../text/t.ts";

interface ComposerKey {
  keys: readonly [string, ...string[]];
  label: TextKey;
}

const formatting = (["bold", "italic", "link", "code"] as const).flatMap((format): ComposerKey[] => {
  const keys = formatKeys[format];
  return keys === undefined ? [] : [{ keys: [keys], label: `composer.${format}` }];
});

/** What Enter does is the reader's choice. */
export const composerKeys = (): readonly ComposerKey[] => {
  const enterSends = part("user_settings").value?.enter_sends ?? false;
  return [
    { keys: [enterSends ? "Enter" : "Mod+Enter"], label: "composer.send" },
    { keys: enterSends ? ["Shift+Enter", "Mod+Enter"] : ["Enter", "Shift+Enter"], label: "keys.newLine" },
    { keys: ["ArrowUp"], label: "keys.editLast" },
    ...formatting,
    { keys: ["Alt+P"], label: "composer.preview" },
    { keys: ["Escape"], label: "keys.leaveComposer" },
  ];
};
