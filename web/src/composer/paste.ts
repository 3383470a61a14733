/**
 * Pasting. A URL over selected words makes a link. Rich text is pasted first as plain text and then as Markdown, in two undo
 * steps: one undo restores the plain text, a second one removes it.
 */
import { parsePasted } from "../content/insert.ts";
import { applyEdit } from "./edit.ts";
import { pastedLink } from "./formatting.ts";

export function paste(event: ClipboardEvent, field: HTMLTextAreaElement): void {
  const data = event.clipboardData;
  const plain = data?.getData("text/plain").replaceAll("\r\n", "\n") ?? "";
  const html = data?.getData("text/html") ?? "";
  if (data === null || plain === "") return;
  const { value, selectionStart: start, selectionEnd: end } = field;
  const link = pastedLink({ text: value, start, end }, plain);
  if (link) {
    event.preventDefault();
    applyEdit(field, link);
    return;
  }
  // A code editor's colors are not formatting.
  if (html === "" || data.types.includes("vscode-editor-data")) return;
  event.preventDefault();
  applyEdit(field, { from: start, to: end, insert: plain });
  void improve(field, html, plain, start);
}

async function improve(field: HTMLTextAreaElement, html: string, plain: string, from: number): Promise<void> {
  const { toMarkdown } = await import("./html-to-markdown.ts");
  const markdown = toMarkdown(parsePasted(html));
  const to = from + plain.length;
  // If the user continued typing in it, the plain text stays.
  if (markdown === "" || markdown === plain.trim() || field.value.slice(from, to) !== plain) return;
  if (field.selectionStart !== to || document.activeElement !== field) return;
  applyEdit(field, { from, to, insert: markdown });
}
