/** The one place from which a screen reader is told of what happens. */
import { signal } from "@preact/signals";

/** Two places in turn, so that the same words twice are said twice. */
const said = signal<{ text: string; place: 0 | 1 }>({ text: "", place: 0 });

export function announce(text: string): void {
  said.value = { text, place: said.value.place === 0 ? 1 : 0 };
}

export function LiveRegion() {
  const { text, place } = said.value;
  return (
    <div class="said" role="status" aria-live="polite">
      <div>{place === 0 && text}</div>
      <div>{place === 1 && text}</div>
    </div>
  );
}
