/** Which dialog is open, if any. app/dialogs.tsx loads and renders it. */
import { signal } from "@preact/signals";
import { KeyBuffer } from "./key-buffer.ts";

export type DialogName =
  | "palette"
  | "search"
  | "create-channel"
  | "invite"
  | "new-direct"
  | "keys"
  | "views"
  | "sign-out";

export const openedDialog = signal<DialogName | undefined>(undefined);

export const openDialog = (name: DialogName): void => {
  if (openedDialog.peek() !== name) keyBuffer.start();
  openedDialog.value = name;
};

export const closeDialog = (): void => {
  keyBuffer.take();
  openedDialog.value = undefined;
};

/** Holds what is typed until the dialog has loaded. */
export const keyBuffer = new KeyBuffer(closeDialog);
