/**
 * Uploads into a draft. Each file has a placeholder in the text from the start, which becomes a link once the upload is
 * done, even if its text is no longer on screen: uploads belong to their drafts, not to the composer that started them.
 * States: uploading → done | failed; failed → uploading by retry; any → gone by removal.
 * **Invariant:** a placeholder is never sent. A text waits for uploads that are in progress or have failed, and loses
 * unknown placeholders, which were left by an earlier page or another device.
 */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { UploadedFile } from "../api/upload.ts";
import { UploadError } from "../api/upload-error.ts";
import { fileSize } from "../text/sizes.ts";
import { t } from "../text/t.ts";
import { announce } from "../store/announcements.ts";
import type { Drafts } from "./composer.tsx";

export interface Attachment {
  id: number;
  name: string;
  isImage: boolean;
  /** The address of a picture that is not uploaded yet, within this page. */
  preview?: string;
  state: "uploading" | "done" | "failed";
  /** From 0 to 1. */
  progress: number;
  error?: string;
  canRetry: boolean;
  /** Its placeholder in the text. */
  piece: string;
  /** The draft it belongs to. */
  draftKey: string;
  url?: string;
  alt: string;
}

export type UploadFunction = (
  file: File,
  options: { onProgress: (part: number) => void; signal: AbortSignal },
) => Promise<UploadedFile>;

/** Replaces part of the text on screen; returns false if it is not there. */
type Replace = (piece: string, by: string) => boolean;

/** No other link uses this address. */
const placeholder = /\[[^[\]\n]*\]\(#uploading-([\w-]+)\)\n?/g;

const linkText = (text: string): string => text.replaceAll(/[[\]\n]/g, " ").trim();

interface Running {
  file: File;
  upload: UploadFunction;
  stop: AbortController;
}

let lastId = 0;
/** Distinguishes this page's placeholders from others'. */
const page = Math.random().toString(36).slice(2, 8);

class DraftUploads {
  readonly attachments = signal<readonly Attachment[]>([]);
  readonly #drafts: Drafts;
  readonly #running = new Map<number, Running>();
  readonly #shown = new Map<string, Replace>();

  constructor(drafts: Drafts) {
    this.#drafts = drafts;
  }

  /** Marks this draft as the one on screen until the returned function is called. */
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
      const uploaded = await upload(file, { onProgress, signal: stop.signal });
      if (stop.signal.aborted) return;
      const alt = this.#find(id)?.alt ?? "";
      this.#put(id, `[${linkText(alt) || linkText(uploaded.filename)}](${uploaded.url})`);
      this.#change(id, { state: "done", progress: 1, url: uploaded.url, name: uploaded.filename });
      announce(t("composer.uploaded", { name: uploaded.filename }));
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
    this.#drop((each) => each.id === id);
  }

  describe(id: number, alt: string): void {
    const attachment = this.#find(id);
    this.#change(id, { alt });
    if (attachment?.url !== undefined)
      this.#put(id, `[${linkText(alt) || linkText(attachment.name)}](${attachment.url})`);
  }

  forget(draftKey: string): void {
    for (const { id } of this.attachments.peek().filter((each) => each.draftKey === draftKey)) this.#running.delete(id);
    this.#drop((each) => each.draftKey === draftKey);
  }

  #drop(isDropped: (attachment: Attachment) => boolean): void {
    for (const each of this.attachments.peek())
      if (isDropped(each) && each.preview !== undefined) URL.revokeObjectURL(each.preview);
    this.attachments.value = this.attachments.peek().filter((each) => !isDropped(each));
  }

  #find(id: number): Attachment | undefined {
    return this.attachments.peek().find((each) => each.id === id);
  }

  #change(id: number, to: Partial<Attachment>): void {
    this.attachments.value = this.attachments.peek().map((each) => (each.id === id ? { ...each, ...to } : each));
  }

  /** Edits the draft wherever it is now. */
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
  /** Why the text cannot be sent yet. */
  reasonToWait: string | undefined;
  /** The text without unknown placeholders. */
  withoutLost: (text: string) => string;
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
        ...(file.type.startsWith("image/") && { preview: URL.createObjectURL(file) }),
        state: isTooLarge ? "failed" : "uploading",
        progress: 0,
        canRetry: false,
        // The number distinguishes two files with the same name.
        piece: isTooLarge
          ? ""
          : `[${linkText(t("composer.uploading", { name: file.name }))}](#uploading-${page}-${id})`,
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
  const isAny = (state: Attachment["state"]): boolean => own.some((each) => each.state === state && each.piece !== "");
  return {
    attachments: own,
    reasonToWait: isAny("uploading")
      ? t("composer.waitForFiles")
      : isAny("failed")
        ? t("composer.filesFailed")
        : undefined,
    withoutLost: (text) => {
      const pieces = uploads.attachments.peek().map(({ piece }) => piece);
      return text.replaceAll(placeholder, (found) => (pieces.includes(found.trimEnd()) ? found : ""));
    },
    add,
    retry: (id) => uploads.retry(id),
    remove: (id) => uploads.remove(id),
    describe: (id, alt) => uploads.describe(id, alt),
    forget: () => uploads.forget(draftKey),
  };
}
