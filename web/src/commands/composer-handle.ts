/** The composer on screen, for keys and actions that write into it. */
import { signal } from "@preact/signals";
import type { ComposerHandle } from "../composer/composer.tsx";

export const composerHandle = signal<ComposerHandle | null>(null);

export const focusComposer = (): void => composerHandle.peek()?.focus();

/** For use right after navigating: the composer there may still be loading. */
export function focusComposerThere(): void {
  requestAnimationFrame(() => {
    const stop = composerHandle.subscribe((handle) => {
      if (!handle) return;
      handle.focus();
      queueMicrotask(() => stop());
    });
  });
}
