/** A refused message goes back to where it was written, beneath what is being written there now. */
import type { Outgoing } from "../store/outbox.ts";
import { discard } from "../store/sending.ts";
import { composerHandle } from "./composer-handle.ts";

export function editAgain({ localId, content }: Outgoing): void {
  // Its row stands in the conversation that the composer writes to.
  const composer = composerHandle.peek();
  if (!composer) return;
  const begun = composer.text();
  composer.setText(begun.trim() === "" ? content : `${begun}\n\n${content}`);
  composer.focus();
  discard(localId);
}
