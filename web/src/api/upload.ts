/** Uploads a file and reports progress. */
import { UploadError } from "./upload-error.ts";

export interface UploadedFile {
  url: string;
  filename: string;
}

export interface UploadOptions {
  /** From 0 to 1. */
  onProgress?: (part: number) => void;
  signal?: AbortSignal;
  /** The headers of requests that change something. */
  headers?: Readonly<Record<string, string>>;
}

/** Statuses that are not about the file: the session ended, or a rate limit was hit. */
const passing: ReadonlySet<number> = new Set([401, 429]);

interface UploadResponse {
  result?: string;
  msg?: string;
  url?: string;
  uri?: string;
  filename?: string;
}

function parseResponse(text: string): UploadResponse {
  try {
    return JSON.parse(text) as UploadResponse; // each field is checked before use
  } catch {
    return {};
  }
}

/** Not `fetch`, which does not report upload progress. */
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
      const { url, uri, filename, msg } = parseResponse(request.responseText);
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
