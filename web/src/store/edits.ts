/**
 * Editing in place. What is in the fields is kept in the browser at every key, so that a reload loses none of it.
 *
 *   open → saving     the new text is shown as it was written until the server's rendering comes
 *   saving → (none)   the event with the rendering, or some time after the answer
 *          → open     refused: the text is in the field again, with the server's words in a notice
 *   open → (none)     given up; what was changed can be taken back
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { getMessage, updateMessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import { onEvent } from "./events.ts";
import type { Message } from "./messages.ts";
import { reasonOf } from "./optimistic.ts";
import { ownId } from "./state.ts";

export interface Edit {
  readonly state: "open" | "saving";
  /** What the message says now, as it was written. */
  readonly original: string;
  readonly text: string;
}

const edits = signal<ReadonlyMap<number, Edit>>(new Map());
/** What is in the fields: a row may leave the page and come back. */
const texts = new Map<number, string>();

/** For rows: tells of this message alone. */
export const editOf = (id: number): ReadonlySignal<Edit | undefined> => computed(() => edits.value.get(id));

function set(id: number, edit: Edit | undefined): void {
  const next = new Map(edits.peek());
  if (edit) next.set(id, edit);
  else next.delete(id);
  edits.value = next;
  if (edit) keep(id);
  else localStorage.removeItem(keyOf(id));
}

function open(id: number, original: string, text: string): void {
  texts.set(id, text);
  set(id, { state: "open", original, text });
}

interface Kept {
  original: string;
  text: string;
}

/** One entry for each message: tabs do not overwrite each other's. */
const prefix = (): string => `skein-edit-${ownId.peek()}-`;
const keyOf = (id: number): string => prefix() + id;

function keep(id: number): void {
  const { original } = edits.peek().get(id) ?? {};
  if (original === undefined) return;
  const kept: Kept = { original, text: editedText(id) };
  localStorage.setItem(keyOf(id), JSON.stringify(kept));
}

/** Opens what was being edited when the page was left. */
export function startEdits(): void {
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(prefix())) continue;
    const { original, text } = JSON.parse(localStorage.getItem(key) ?? "") as Kept; // written above
    open(Number(key.slice(prefix().length)), original, text);
  }
}

export async function beginEdit({ id }: Message): Promise<void> {
  if (edits.peek().has(id)) return;
  try {
    const { message } = await call(getMessage, { message_id: id, apply_markdown: false });
    open(id, message.content, message.content);
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}

export const editedText = (id: number): string => texts.get(id) ?? "";

export function keepEditedText(id: number, text: string): void {
  texts.set(id, text);
  keep(id);
}

export function cancelEdit(id: number): void {
  const edit = edits.peek().get(id);
  if (!edit) return;
  const text = editedText(id);
  set(id, undefined);
  if (text !== edit.original) toast(t("edit.discarded"), { undo: () => open(id, edit.original, text) });
}

/** An answer without its event is believed after this time. */
const longestWait = 5000;

export async function saveEdit(id: number, text: string): Promise<void> {
  const edit = edits.peek().get(id);
  if (!edit) return;
  if (text === edit.original) {
    set(id, undefined);
    return;
  }
  const saving: Edit = { state: "saving", original: edit.original, text };
  texts.set(id, text);
  set(id, saving);
  const settle = (): void => {
    if (edits.peek().get(id) === saving) set(id, undefined);
    stop();
  };
  const stop = onEvent((event) => {
    if (event.type === "update_message" && event.message_id === id && event.rendered_content !== undefined) settle();
  });
  try {
    await call(updateMessage, { message_id: id, content: text });
    setTimeout(settle, longestWait);
  } catch (error) {
    stop();
    open(id, edit.original, text);
    toast(reasonOf(error), { kind: "danger" });
  }
}
