/**
 * Files on their way into a text. Each has a placeholder in the text from the first moment, which becomes the link once
 * the file has arrived, also when its text is no longer the one on screen: uploads belong to the drafts they are part of,
 * not to the composer that began them. States: uploading → done | failed; failed → uploading by retry; any → gone by
 * removal.
 */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { UploadError, type UploadedFile } from "../files/upload.ts";
import { fileSize } from "../text/sizes.ts";
import { t } from "../text/t.ts";
import { announce } from "../ui/live-region.tsx";
import type { Drafts } from "./composer.tsx";

export interface Attachment {
  id: number;
  name: string;
  isImage: boolean;
  state: "uploading" | "done" | "failed";
  /** From 0 to 1. */
  progress: number;
  error?: string;
  canRetry: boolean;
  /** What stands for it in the text. */
  piece: string;
  /** The text it belongs to. */
  draftKey: string;
  url?: string;
  alt: string;
}

export type UploadFunction = (
  file: File,
  options: { onProgress: (part: number) => void; signal: AbortSignal },
) => Promise<UploadedFile>;

/** Replaces a piece of the text on screen; false when it is not there. */
type Replace = (piece: string, by: string) => boolean;

const linkText = (text: string): string => text.replaceAll(/[[\]\n]/g, " ").trim();

interface Running {
  file: File;
  upload: UploadFunction;
  stop: AbortController;
}

let lastId = 0;

class DraftUploads {
  readonly attachments = signal<readonly Attachment[]>([]);
  readonly #drafts: Drafts;
  readonly #running = new Map<number, Running>();
  readonly #shown = new Map<string, Replace>();

  constructor(drafts: Drafts) {
    this.#drafts = drafts;
  }

  /** Until the given function is called this text is the one on screen. */
  show(draftKey: string, replace: Replace): () => void {
    this.#shown.set(draftKey, replace);
    return () => {
      if (this.#shown.get(draftKey) === replace) this.#shown.delete(draftKey);
    };
  }

  add(attachment: Attachment): void {
    this.attachments.value = [...this.attachments.peek(), attachment];
  }

  async start(id: number, file: File, upload: UploadFunction): Promise<void> {
    const stop = new AbortController();
    this.#running.set(id, { file, upload, stop });
    this.#change(id, { state: "uploading", progress: 0 });
    try {
      const onProgress = (progress: number): void => this.#change(id, { progress });
      const answer = await upload(file, { onProgress, signal: stop.signal });
      if (stop.signal.aborted) return;
      const alt = this.#find(id)?.alt ?? "";
      this.#put(id, `[${linkText(alt) || linkText(answer.filename)}](${answer.url})`);
      this.#change(id, { state: "done", progress: 1, url: answer.url, name: answer.filename });
      announce(t("composer.uploaded", { name: answer.filename }));
    } catch (error) {
      if (stop.signal.aborted) return;
      const reason = error instanceof UploadError && error.message !== "" ? error.message : t("composer.uploadFailed");
      this.#change(id, { state: "failed", error: reason, canRetry: !(error instanceof UploadError) || error.canRetry });
      announce(`${file.name}: ${reason}`);
    }
  }

  retry(id: number): void {
    const again = this.#running.get(id);
    if (again) void this.start(id, again.file, again.upload);
  }

  remove(id: number): void {
    this.#running.get(id)?.stop.abort();
    this.#running.delete(id);
    if (this.#find(id)?.piece) this.#put(id, "");
    this.attachments.value = this.attachments.peek().filter((each) => each.id !== id);
  }

  describe(id: number, alt: string): void {
    const attachment = this.#find(id);
    this.#change(id, { alt });
    if (attachment?.url !== undefined)
      this.#put(id, `[${linkText(alt) || linkText(attachment.name)}](${attachment.url})`);
  }

  forget(draftKey: string): void {
    for (const { id } of this.attachments.peek().filter((each) => each.draftKey === draftKey)) this.#running.delete(id);
    this.attachments.value = this.attachments.peek().filter((each) => each.draftKey !== draftKey);
  }

  #find(id: number): Attachment | undefined {
    return this.attachments.peek().find((each) => each.id === id);
  }

  #change(id: number, to: Partial<Attachment>): void {
    this.attachments.value = this.attachments.peek().map((each) => (each.id === id ? { ...each, ...to } : each));
  }

  /** Wherever its text is now. */
  #put(id: number, by: string): void {
    const attachment = this.#find(id);
    if (attachment === undefined) return;
    const { draftKey, piece } = attachment;
    if (!this.#shown.get(draftKey)?.(piece, by)) {
      const text = this.#drafts.read(draftKey);
      this.#drafts.write(
        draftKey,
        text.replace(piece, () => by),
      );
    }
    this.#change(id, { piece: by });
  }
}

const known = new WeakMap<Drafts, DraftUploads>();

function uploadsOf(drafts: Drafts): DraftUploads {
  const uploads = known.get(drafts) ?? new DraftUploads(drafts);
  known.set(drafts, uploads);
  return uploads;
}

interface UploadsOptions {
  upload: UploadFunction | undefined;
  drafts: Drafts;
  draftKey: string;
  /** In bytes. */
  largest: number | undefined;
  insert: (text: string) => void;
  replace: Replace;
}

export interface Uploads {
  attachments: readonly Attachment[];
  isBusy: boolean;
  add: (files: Iterable<File>) => void;
  retry: (id: number) => void;
  remove: (id: number) => void;
  describe: (id: number, alt: string) => void;
  forget: () => void;
}

export function useUploads({ upload, drafts, draftKey, largest, insert, replace }: UploadsOptions): Uploads {
  const uploads = uploadsOf(drafts);
  useLayoutEffect(() => uploads.show(draftKey, replace), [uploads, draftKey]);

  const add = (files: Iterable<File>): void => {
    const fresh: [Attachment, File][] = [];
    for (const file of files) {
      const id = ++lastId;
      const isTooLarge = largest !== undefined && file.size > largest;
      const attachment: Attachment = {
        id,
        name: file.name,
        isImage: file.type.startsWith("image/"),
        state: isTooLarge ? "failed" : "uploading",
        progress: 0,
        canRetry: false,
        // The number tells two files of one name apart.
        piece: isTooLarge ? "" : `[${linkText(t("composer.uploading", { name: file.name }))}](#${id})`,
        draftKey,
        alt: "",
        ...(isTooLarge && { error: t("composer.tooLarge", { name: file.name, limit: fileSize(largest) }) }),
      };
      if (attachment.error !== undefined) announce(attachment.error);
      uploads.add(attachment);
      fresh.push([attachment, file]);
    }
    const pieces = fresh.filter(([{ state }]) => state === "uploading");
    if (pieces.length > 0) insert(pieces.map(([{ piece }]) => piece).join("\n"));
    if (upload) for (const [{ id }, file] of pieces) void uploads.start(id, file, upload);
  };

  const own = uploads.attachments.value.filter((each) => each.draftKey === draftKey);
  return {
    attachments: own,
    isBusy: own.some(({ state }) => state === "uploading"),
    add,
    retry: (id) => uploads.retry(id),
    remove: (id) => uploads.remove(id),
    describe: (id, alt) => uploads.describe(id, alt),
    forget: () => uploads.forget(draftKey),
  };
}
