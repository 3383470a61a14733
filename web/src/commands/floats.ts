/** The floating layer open for one message: its menu, the reaction picker, or a dialog. One at a time; loaded on first use. */
import { signal } from "@preact/signals";

export type FloatKind = "menu" | "react" | "move" | "rename" | "delete" | "forward" | "remind" | "report";

export interface Float {
  kind: FloatKind;
  messageId: number;
  /** The anchor of the menu and the picker. */
  anchor: HTMLElement | null;
}

export const float = signal<Float | undefined>(undefined);

export function openFloat(kind: FloatKind, messageId: number, anchor: HTMLElement | null = null): void {
  float.value = { kind, messageId, anchor };
}

export const closeFloat = (): void => {
  float.value = undefined;
};
