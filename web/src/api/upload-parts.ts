/** Uploads a large file in parts with the tus protocol. What has arrived is not sent again, even after a reload. */
import { Refusal } from "@skein/api/failures.ts";
import { isSignedOut, signedInAgain } from "./session.ts";

const partBytes = 8 * 1024 ** 2;
const version = { "Tus-Resumable": "1.0.0" };
const attempts = 6;

/** `onProgress` gets the number of bytes that the server has. */
export async function uploadParts(
  url: string,
  file: File,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<void> {
  let failures = 0;
  for (let sent: number | undefined; sent === undefined || sent < file.size;) {
    // Another account may have logged in: send nothing until that is known.
    if (isSignedOut.peek()) await signedInAgain();
    try {
      sent = sent === undefined ? await offsetOf(url, signal) : await sendPart(url, file, sent, signal);
      failures = 0;
      onProgress(sent);
    } catch (error) {
      if (error instanceof SignedOut) await signedInAgain();
      else {
        if (signal.aborted || error instanceof Refusal || ++failures >= attempts) throw error;
        await pause(1000 * 2 ** failures, signal);
      }
      // Part of it may have arrived.
      sent = undefined;
    }
  }
}

class SignedOut extends Error {}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

const offsetOf = async (url: string, signal: AbortSignal): Promise<number> =>
  readOffset(await fetch(url, { method: "HEAD", headers: version, signal }));

const sendPart = async (url: string, file: File, from: number, signal: AbortSignal): Promise<number> =>
  readOffset(
    await fetch(url, {
      method: "PATCH",
      headers: { ...version, "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(from) },
      body: file.slice(from, from + partBytes, "application/offset+octet-stream"),
      signal,
    }),
  );

/** Another part may still be arriving (409, 423), or there were too many (429): that passes. */
const passing: ReadonlySet<number> = new Set([409, 423, 429]);

async function readOffset(response: Response): Promise<number> {
  if (response.ok) return Number(response.headers.get("Upload-Offset"));
  if (response.status === 401) throw new SignedOut();
  if (response.status >= 500 || passing.has(response.status)) throw new Error(`status ${response.status}`);
  const { msg = "", code = "" } = (await response.json().catch(() => ({}))) as { msg?: string; code?: string }; // an error of the server
  throw new Refusal(msg, { code, status: response.status, data: {} });
}
