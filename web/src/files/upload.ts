/** Sends a file, telling how far it is. */

export interface UploadedFile {
  url: string;
  filename: string;
}

export interface UploadOptions {
  /** From 0 to 1. */
  onProgress?: (part: number) => void;
  signal?: AbortSignal;
  /** Those every changing request carries. */
  headers?: Readonly<Record<string, string>>;
}

/** A refusal in the server's words, or what happened to the connection. */
export class UploadError extends Error {
  /** Whether the same file could succeed later. */
  readonly canRetry: boolean;

  constructor(message: string, canRetry: boolean) {
    super(message);
    this.canRetry = canRetry;
  }
}

/** The session has ended, or too much was asked: neither is about the file. */
const passing: ReadonlySet<number> = new Set([401, 429]);

interface Answer {
  result?: string;
  msg?: string;
  url?: string;
  uri?: string;
  filename?: string;
}

function readAnswer(text: string): Answer {
  try {
    return JSON.parse(text) as Answer; // each field is looked at before it is used
  } catch {
    return {};
  }
}

/** Not `fetch`, which tells nothing of a body's progress. */
export function upload(
  address: string,
  file: File,
  { onProgress, signal, headers = {} }: UploadOptions = {},
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    signal?.addEventListener("abort", stop, { once: true });
    request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress?.(loaded / total);
    });
    request.addEventListener("load", () => {
      const { url, uri, filename, msg } = readAnswer(request.responseText);
      const stored = url ?? uri;
      if (request.status === 200 && stored !== undefined) resolve({ url: stored, filename: filename ?? file.name });
      else reject(new UploadError(msg ?? "", request.status >= 500 || passing.has(request.status)));
    });
    request.addEventListener("error", () => reject(new UploadError("", true)));
    request.addEventListener("abort", () => reject(signal?.reason as Error));
    request.addEventListener("loadend", () => signal?.removeEventListener("abort", stop));
    request.open("POST", address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
}
