/** Announcements for screen readers; ui/live-region.tsx renders them. */
import { signal } from "@preact/signals";

/** Two regions in turn, so that the same text twice is announced twice. */
export const announcement = signal<{ text: string; place: 0 | 1 }>({ text: "", place: 0 });

export function announce(text: string): void {
  announcement.value = { text, place: announcement.value.place === 0 ? 1 : 0 };
}
