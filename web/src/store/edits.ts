/**
 * Editing in place. The text in each field is saved in the browser on every keystroke, so a reload loses nothing.
 *
 *   open → saving     a pending operation: the new text is shown unrendered until the server's rendering arrives
 *   saving → (none)   the operation has ended
 *          → open     it failed: the text is back in the field, with the reason below it
 *   open → (none)     canceled; discarded changes can be restored with Undo
 */
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { updateMessage } from "@skein/api/routes/edits.ts";
import { getMessage } from "@skein/api/routes/messages.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { toast } from "./toasts.ts";
import type { Message } from "./messages.ts";
import { perform } from "./operations.ts";
import { pending } from "./pending.ts";
import { reasonOf } from "./reasons.ts";
import { ownId } from "./state.ts";
import { isRecord, readStored, removeStored, store, storedKeys } from "./storage.ts";

interface OpenEdit {
  readonly state: "open";
  /** The message's current source text. */
  readonly original: string;
  readonly text: string;
  /** Why it could not be saved. */
  readonly reason?: string | undefined;
}

export type Edit = OpenEdit | { readonly state: "saving"; readonly text: string };

const edits = signal<ReadonlyMap<number, OpenEdit>>(new Map());
/** Text in the edit fields, kept here because a row may be unmounted and come back. */
const texts = new Map<number, string>();

/** For rows: a signal for this message only. */
export const editOf = (id: number): ReadonlySignal<Edit | undefined> =>
  computed(() => edits.value.get(id) ?? savingOf(id));

function savingOf(id: number): Edit | undefined {
  for (const { event } of pending.value)
    if (event.type === "update_message" && event.message_id === id)
      return { state: "saving", text: event.content ?? "" };
  return undefined;
}

function set(id: number, edit: OpenEdit | undefined): void {
  const next = new Map(edits.peek());
  if (edit) next.set(id, edit);
  else next.delete(id);
  edits.value = next;
}

function open(id: number, original: string, text: string, reason?: string): void {
  texts.set(id, text);
  set(id, { state: "open", original, text, reason });
  keep(id);
}

function close(id: number): void {
  set(id, undefined);
  removeStored("local", keyOf(id));
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
export const hasOpenEdits = (): boolean =>
  edits.peek().size > 0 || pending.peek().some(({ event }) => event.type === "update_message");

export async function beginEdit({ id }: Message): Promise<void> {
  if (edits.peek().has(id) || savingOf(id)) return;
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
  close(id);
  if (text !== edit.original) toast(t("edit.discarded"), { undo: () => open(id, edit.original, text) });
}

export function saveEdit({ id, flags }: Message, text: string): void {
  const edit = edits.peek().get(id);
  if (!edit) return;
  if (text === edit.original) {
    close(id);
    return;
  }
  keepEditedText(id, text);
  const user_id = ownId.peek();
  batch(() => {
    set(id, undefined);
    perform({
      key: `text ${id}`,
      event: {
        type: "update_message",
        user_id,
        rendering_only: false,
        message_id: id,
        message_ids: [id],
        flags,
        edit_timestamp: Math.floor(Date.now() / 1000),
        content: text,
      },
      // The server may store another text, such as a shortened one.
      isConfirmedBy: (event) =>
        event.type === "update_message" &&
        event.message_id === id &&
        event.user_id === user_id &&
        event.rendered_content !== undefined,
      request: () => call(updateMessage, { message_id: id, content: text }),
      onEnd: (error) => {
        if (error === undefined) removeStored("local", keyOf(id));
        else open(id, edit.original, text, reasonOf(error));
      },
    });
  });
}
