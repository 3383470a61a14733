/** Moves a refused message's text back into the composer, above the text already there. */
import type { Outgoing } from "../store/outbox.ts";
import { discard } from "../store/sending.ts";
import { composerHandle } from "../commands/composer-handle.ts";

export function editAgain({ localId, content }: Outgoing): void {
  // Its row is in the conversation that the composer writes to.
  const composer = composerHandle.peek();
  if (!composer) return;
  const begun = composer.text();
  composer.setText(begun.trim() === "" ? content : `${begun}\n\n${content}`);
  composer.focus();
  discard(localId);
}
