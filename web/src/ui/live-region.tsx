/** The single live region for screen reader announcements. */
import { announcement } from "../store/announcements.ts";

export function LiveRegion() {
  const { text, place } = announcement.value;
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      <div>{place === 0 && text}</div>
      <div>{place === 1 && text}</div>
    </div>
  );
}
