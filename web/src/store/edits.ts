/**
 * Editing in place. The text in each field is saved in the browser on every keystroke, so a reload loses nothing.
 *
 *   open → saving     the new text is shown unrendered until the server's rendering arrives
 *   saving → (none)   the event with the rendering arrived, or a timeout after the response
 *          → open     refused: the text is back in the field, and a notice shows the server's error
 *   open → (none)     canceled; discarded changes can be restored with Undo
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { getMessage, updateMessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import { onEvent } from "./events.ts";
import type { Message } from "./messages.ts";
import { reasonOf } from "./optimistic.ts";
import { ownId } from "./state.ts";
import { isRecord, readStored, removeStored, store, storedKeys } from "./storage.ts";

export interface Edit {
  readonly state: "open" | "saving";
  /** The message's current source text. */
  readonly original: string;
  readonly text: string;
}

const edits = signal<ReadonlyMap<number, Edit>>(new Map());
/** Text in the edit fields, kept here because a row may be unmounted and come back. */
const texts = new Map<number, string>();

/** For rows: a signal for this message only. */
export const editOf = (id: number): ReadonlySignal<Edit | undefined> => computed(() => edits.value.get(id));

function set(id: number, edit: Edit | undefined): void {
  const next = new Map(edits.peek());
  if (edit) next.set(id, edit);
  else next.delete(id);
  edits.value = next;
  if (edit) keep(id);
  else removeStored("local", keyOf(id));
}

function open(id: number, original: string, text: string): void {
  texts.set(id, text);
  set(id, { state: "open", original, text });
}

interface StoredEdit {
  original: string;
  text: string;
}

/** One entry per message, so that tabs do not overwrite each other. */
const prefix = (): string => `skein-edit-${ownId.peek()}-`;
const keyOf = (id: number): string => prefix() + id;

function keep(id: number): void {
  const { original } = edits.peek().get(id) ?? {};
  if (original === undefined) return;
  const kept: StoredEdit = { original, text: editedText(id) };
  store("local", keyOf(id), kept);
}

/** Reopens the edits that were in progress when the page was left. */
export function startEdits(): void {
  for (const key of storedKeys(prefix())) {
    const kept = readStored("local", key);
    const id = Number(key.slice(prefix().length));
    if (isKept(kept) && Number.isInteger(id)) open(id, kept.original, kept.text);
  }
}

const isKept = (value: unknown): value is StoredEdit =>
  isRecord(value) && typeof value["original"] === "string" && typeof value["text"] === "string";

/** Whether there are unsaved edits that would be lost. */
export const hasOpenEdits = (): boolean => edits.peek().size > 0;

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

/** A response without its event is trusted after this time. */
const maxWait = 5000;

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
    setTimeout(settle, maxWait);
  } catch (error) {
    stop();
    open(id, edit.original, text);
    toast(reasonOf(error), { kind: "danger" });
  }
}
