/** The files the reader has uploaded. Fetched when they are first shown, then kept up to date by events. */
import { signal } from "@preact/signals";
import { getAttachments, removeAttachment } from "@skein/api/routes/uploads.ts";
import type { Attachment } from "@skein/api/uploads.ts";
import { call } from "../api/call.ts";
import { onEvent } from "./events.ts";

interface Attachments {
  files: readonly Attachment[];
  /** Of the organization, in bytes. */
  spaceUsed: number;
}

/** Undefined until they are fetched. */
export const attachments = signal<Attachments | undefined>(undefined);

let isFollowing = false;

export async function fetchAttachments(): Promise<void> {
  if (!isFollowing) {
    isFollowing = true;
    onEvent((event) => {
      const known = attachments.peek();
      if (event.type !== "attachment" || !known) return;
      const others = known.files.filter(({ id }) => id !== event.attachment.id);
      attachments.value = {
        files: event.op === "remove" ? others : [...others, event.attachment],
        spaceUsed: event.upload_space_used,
      };
    });
  }
  const { attachments: files, upload_space_used: spaceUsed } = await call(getAttachments, {});
  attachments.value = { files, spaceUsed };
}

export const deleteAttachment = (id: number): Promise<unknown> => call(removeAttachment, { attachment_id: id });
