/**
 * Files on their way into a text. Each has a placeholder in the text from the first moment, which becomes the link once
 * the file has arrived, also when its text is no longer the one on screen. States: uploading → done | failed; failed →
 * uploading by retry; any → gone by removal.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { UploadError, type UploadedFile } from "../files/upload.ts";
import { fileSize } from "../text/sizes.ts";
import { t } from "../text/t.ts";
import { announce } from "../ui/live-region.tsx";

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

interface UploadsOptions {
  upload: UploadFunction | undefined;
  draftKey: string;
  /** In bytes. */
  largest: number | undefined;
  insert: (text: string) => void;
  /** Wherever the text is now. */
  replace: (draftKey: string, piece: string, by: string) => void;
}

const linkText = (text: string): string => text.replaceAll(/[[\]\n]/g, " ").trim();

interface Running {
  file: File;
  stop: AbortController;
}

export interface Uploads {
  attachments: readonly Attachment[];
  isBusy: boolean;
  add: (files: Iterable<File>) => void;
  retry: (id: number) => void;
  remove: (id: number) => void;
  describe: (id: number, alt: string) => void;
  forget: (draftKey: string) => void;
}

export function useUploads({ upload, draftKey, largest, insert, replace }: UploadsOptions): Uploads {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const running = useRef(new Map<number, Running>());
  const lastId = useRef(0);
  const latest = useRef(attachments);
  latest.current = attachments;

  // Leaving the page's composer for good stops what nobody waits for any more.
  useEffect(() => () => running.current.forEach(({ stop }) => stop.abort()), []);

  const change = (id: number, to: Partial<Attachment>): void => {
    latest.current = latest.current.map((each) => (each.id === id ? { ...each, ...to } : each));
    setAttachments(latest.current);
  };
  const find = (id: number): Attachment | undefined => latest.current.find((each) => each.id === id);
  const put = (id: number, piece: string): void => {
    const attachment = find(id);
    if (attachment === undefined) return;
    replace(attachment.draftKey, attachment.piece, piece);
    change(id, { piece });
  };

  const start = async (id: number, file: File): Promise<void> => {
    const stop = new AbortController();
    running.current.set(id, { file, stop });
    change(id, { state: "uploading", progress: 0 });
    try {
      const onProgress = (progress: number): void => change(id, { progress });
      const answer = await upload?.(file, { onProgress, signal: stop.signal });
      if (answer === undefined || stop.signal.aborted) return;
      const alt = find(id)?.alt ?? "";
      put(id, `[${linkText(alt) || linkText(answer.filename)}](${answer.url})`);
      change(id, { state: "done", progress: 1, url: answer.url, name: answer.filename });
      announce(t("composer.uploaded", { name: answer.filename }));
    } catch (error) {
      if (stop.signal.aborted) return;
      const reason = error instanceof UploadError && error.message !== "" ? error.message : t("composer.uploadFailed");
      change(id, { state: "failed", error: reason, canRetry: !(error instanceof UploadError) || error.canRetry });
      announce(`${file.name}: ${reason}`);
    }
  };

  const add = (files: Iterable<File>): void => {
    const fresh: [Attachment, File][] = [];
    for (const file of files) {
      const id = ++lastId.current;
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
      fresh.push([attachment, file]);
    }
    latest.current = [...latest.current, ...fresh.map(([attachment]) => attachment)];
    setAttachments(latest.current);
    const pieces = fresh.filter(([{ state }]) => state === "uploading");
    if (pieces.length > 0) insert(pieces.map(([{ piece }]) => piece).join("\n"));
    for (const [{ id }, file] of pieces) void start(id, file);
  };

  const remove = (id: number): void => {
    running.current.get(id)?.stop.abort();
    running.current.delete(id);
    if (find(id)?.piece) put(id, "");
    latest.current = latest.current.filter((each) => each.id !== id);
    setAttachments(latest.current);
  };

  const own = attachments.filter((each) => each.draftKey === draftKey);
  return {
    attachments: own,
    isBusy: own.some(({ state }) => state === "uploading"),
    add,
    remove,
    retry: (id) => {
      const again = running.current.get(id);
      if (again) void start(id, again.file);
    },
    describe: (id, alt) => {
      const attachment = find(id);
      change(id, { alt });
      if (attachment?.url !== undefined) put(id, `[${linkText(alt) || linkText(attachment.name)}](${attachment.url})`);
    },
    forget: (key) => {
      latest.current = latest.current.filter((each) => each.draftKey !== key);
      setAttachments(latest.current);
    },
  };
}
