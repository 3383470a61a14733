/** Changes the text in a field so that the browser's own undo includes the change. */

export interface Edit {
  from: number;
  to: number;
  insert: string;
  /** The selection afterwards; without it the caret is placed after the inserted text. */
  select?: readonly [start: number, end: number];
}

export function applyEdit(field: HTMLTextAreaElement, { from, to, insert, select }: Edit): void {
  field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  if (from !== to || insert !== "") insertNatively(field, insert);
  if (select) field.setSelectionRange(...select);
}

/** Replaces part of the text without moving the caret of someone who is typing. */
export function replacePiece(field: HTMLTextAreaElement, piece: string, by: string): boolean {
  const from = field.value.indexOf(piece);
  if (from === -1) return false;
  const { selectionStart, selectionEnd } = field;
  const shifted = (caret: number): number =>
    caret >= from + piece.length ? caret + by.length - piece.length : Math.min(caret, from + by.length);
  const hadFocus = document.activeElement;
  applyEdit(field, {
    from,
    to: from + piece.length,
    insert: by,
    select: [shifted(selectionStart), shifted(selectionEnd)],
  });
  if (hadFocus instanceof HTMLElement && hadFocus !== field) hadFocus.focus({ preventScroll: true });
  return true;
}

function insertNatively(field: HTMLTextAreaElement, text: string): void {
  // Deprecated, but still the only way into the undo stack.
  const { execCommand } = document as { execCommand?: (name: string, ui: boolean, value?: string) => boolean };
  const done =
    text === "" ? execCommand?.call(document, "delete", false) : execCommand?.call(document, "insertText", false, text);
  if (done === true) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
}
