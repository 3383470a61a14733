/** Handles a click or Enter inside a message. One handler per message, whatever it contains. */
import { copyCode } from "./code-blocks.ts";
import { mediaOf } from "./media.ts";
import type { Reader } from "./reader.ts";
import { toggleSpoiler } from "./spoilers.ts";

export function press(event: MouseEvent | KeyboardEvent, reader: Reader): void {
  const target = event.target instanceof Element ? event.target : null;
  const root = event.currentTarget;
  if (target === null || !(root instanceof Element)) return;
  // Links and buttons turn keys into clicks themselves.
  const isKey = event instanceof KeyboardEvent;

  const mention = target.closest<HTMLElement>(".user-mention[role=button]");
  if (mention !== null) {
    event.preventDefault();
    reader.openUser?.(Number(mention.dataset["userId"]), mention);
  }
  if (isKey) return;

  const copy = target.closest<HTMLElement>(".code-copy");
  if (copy !== null) void copyCode(copy);

  const header = target.closest(".spoiler-header");
  if (header !== null && target.closest("a") === null) toggleSpoiler(header);

  const link = target.closest("a");
  const wantsNewTab = event.ctrlKey || event.metaKey || event.shiftKey;
  const found = link === null || wantsNewTab ? undefined : mediaOf(root, link);
  if (found !== undefined && reader.openMedia !== undefined) {
    event.preventDefault();
    reader.openMedia(found.media, found.index);
  }
}
