/**
 * Message text in, HTML out. Pure: what the text may refer to is prepared by the caller and handed in, what it caused
 * is handed back.
 */

/** What the text may refer to. */
export interface MarkdownContext {
  /** People who can be mentioned, by lower-cased name. */
  users?: ReadonlyMap<string, { id: number; full_name: string }>;
}

export interface RenderedMarkdown {
  html: string;
  mentionedUserIds: number[];
  mentionsChannel: boolean;
  mentionsTopic: boolean;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (char) => entities[char] ?? char);

/** Paragraphs with their line breaks; everything else stays as it was written. */
export function renderMarkdown(text: string, _context: MarkdownContext = {}): RenderedMarkdown {
  const html = text
    .split(/\n[ \t]*\n+/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll("\n", "<br>\n")}</p>`)
    .join("\n");
  return { html, mentionedUserIds: [], mentionsChannel: false, mentionsTopic: false };
}
