/** The composer on screen, for keys and actions that write into it. */
import { signal } from "@preact/signals";
import type { ComposerHandle } from "../composer/composer.tsx";

export const composerHandle = signal<ComposerHandle | null>(null);

export const focusComposer = (): void => composerHandle.peek()?.focus();

/** For who has just gone elsewhere: the composer there may still have to be loaded. */
export function focusComposerThere(): void {
  requestAnimationFrame(() => {
    const stop = composerHandle.subscribe((handle) => {
      if (!handle) return;
      handle.focus();
      queueMicrotask(() => stop());
    });
  });
}
