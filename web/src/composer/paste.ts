/**
 * Pasting. An address over words makes a link. Rich text is pasted as plain text first and then as Markdown, in two steps
 * of the undo stack: one undo gives the plain text, a second one takes it away.
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
  // An editor's colours are not meant.
  if (html === "" || data.types.includes("vscode-editor-data")) return;
  event.preventDefault();
  applyEdit(field, { from: start, to: end, insert: plain });
  void improve(field, html, plain, start);
}

async function improve(field: HTMLTextAreaElement, html: string, plain: string, from: number): Promise<void> {
  const [{ toMarkdown }, parsed] = await Promise.all([import("./html-to-markdown.ts"), parsePasted(html)]);
  const markdown = toMarkdown(parsed);
  const to = from + plain.length;
  // Whoever went on typing in it has taken the plain text.
  if (markdown === "" || markdown === plain.trim() || field.value.slice(from, to) !== plain) return;
  if (field.selectionStart !== to || document.activeElement !== field) return;
  applyEdit(field, { from, to, insert: markdown });
}
