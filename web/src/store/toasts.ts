/** Short notices at the edge of the page, with an Undo where possible; ui/toast.tsx renders them. They are also announced. */
import { signal } from "@preact/signals";
import { announce } from "./announcements.ts";

interface ToastOptions {
  kind?: "plain" | "danger";
  undo?: () => void;
  /** Another action. */
  action?: { label: string; run: () => void };
}

export interface Toast extends ToastOptions {
  id: number;
  text: string;
}

export const toasts = signal<readonly Toast[]>([]);
let lastId = 0;
const most = 3;

/** Returns a function that removes it. */
export function toast(text: string, options: ToastOptions = {}): () => void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(1 - most), { ...options, id, text }];
  announce(text);
  return () => dismiss(id);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
