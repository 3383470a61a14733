/** What is open about one message: its menu, the picker of reactions, a dialog. One at a time; loaded when first wanted. */
import { signal } from "@preact/signals";

export type FloatKind = "menu" | "react" | "move" | "delete" | "forward";

export interface Float {
  kind: FloatKind;
  messageId: number;
  /** Where menu and picker hang. */
  anchor: HTMLElement | null;
}

export const float = signal<Float | undefined>(undefined);

export function openFloat(kind: FloatKind, messageId: number, anchor: HTMLElement | null = null): void {
  float.value = { kind, messageId, anchor };
}

export const closeFloat = (): void => {
  float.value = undefined;
};
