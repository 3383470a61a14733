/** Requests that wait until the reader has confirmed who they are. */
import { signal } from "@preact/signals";
import type { Refusal } from "@skein/api/failures.ts";

interface Unconfirmed {
  refusal: Refusal;
  resume: () => void;
  giveUp: (refusal: Refusal) => void;
}

/** While there are any, a dialog is open, which ends them all. */
export const unconfirmed = signal<readonly Unconfirmed[]>([]);

/** Resolves once the reader has confirmed; throws the refusal if they do not want to. */
export const confirmReader = (refusal: Refusal): Promise<void> =>
  new Promise((resume, giveUp) => {
    unconfirmed.value = [...unconfirmed.peek(), { refusal, resume, giveUp }];
  });
