/** Emoji as the reader's system draws them. Their spoken name stays in aria-label. */
import { glyphOf } from "../text/glyph.ts";

export function showEmoji(root: ParentNode): void {
  for (const span of root.querySelectorAll<HTMLElement>("span.emoji")) {
    const code = Array.from(span.classList, (name) => /^emoji-([0-9a-f-]+)$/.exec(name)?.[1]).find(Boolean);
    const glyph = code === undefined ? undefined : glyphOf(code);
    if (glyph !== undefined) span.textContent = glyph;
    if (span.title !== "") {
      span.dataset["tip"] = `:${span.title.replaceAll(" ", "_")}:`;
      span.removeAttribute("title");
    }
  }
}
