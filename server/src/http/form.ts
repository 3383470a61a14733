/**
 * Parameters as they arrive: names and texts, from the query, a urlencoded body or a multipart body, on every method
 * alike. A name in the body wins over the same name in the query; of several equal names the first counts.
 */
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { ApiError } from "../errors.ts";

export type Form = Map<string, string>;

/** A file among the fields. */
export interface SentFile {
  /** As the sender's machine called it: any text. */
  name: string;
  /** As the sender says. */
  contentType: string;
  bytes: Buffer;
}

export interface Body {
  form: Form;
  files: SentFile[];
  /** The body itself, where it was asked for instead of what it says. */
  bytes?: Buffer;
  /** A body that is yet to be read: see receiveFile(). */
  arriving?: ArrivingBody;
}

export interface ArrivingBody {
  contentType: string;
  body: NodeJS.ReadableStream;
}

/** A file that is being sent. Whoever reads it breaks the transfer off by no longer reading. */
export interface ArrivingFile {
  name: string;
  contentType: string;
  body: AsyncIterable<Buffer>;
}

export interface ReceivedFile<T> {
  /** What was made of the first file. */
  taken: T | undefined;
  /** How many there were. */
  files: number;
}

const maxFields = 5000;
/** Of a field that is read past. */
const maxFieldBytes = 1024 ** 2;
const maxFiles = 1;
const maxFileMebibytes = 25;

export function readPairs(text: string, into: Form): void {
  if (text === "") return;
  const known = into.size;
  const earlier = known > 0 ? new Set(into.keys()) : undefined;
  for (const [name, value] of new URLSearchParams(text)) {
    if (earlier?.has(name) || into.has(name)) continue;
    if (into.size - known >= maxFields) throw new ApiError("Too many parameters");
    into.set(name, value);
  }
}

interface Multipart {
  contentType: string;
  body: NodeJS.ReadableStream;
  /** Otherwise files are read past. */
  withFiles: boolean;
  /** All of it. A file that is read past counts as well. */
  maxBytes: number;
}

export async function readMultipart({ contentType, body, withFiles, maxBytes }: Multipart): Promise<Body> {
  const form: Form = new Map();
  const files: SentFile[] = [];
  return new Promise((resolve, reject) => {
    const fail = (reason: ApiError) => {
      if (parser) body.unpipe(parser);
      body.resume();
      reject(reason);
    };
    const parser = startParser(contentType, {
      fieldSize: maxBytes,
      files: maxFiles,
      fileSize: maxFileMebibytes * 1024 ** 2,
    });
    if (!parser) {
      fail(malformed());
      return;
    }
    let left = maxBytes;
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left >= 0) return;
      body.off("data", count); // once is enough, however much follows
      fail(bodyTooLarge());
    };
    body.on("data", count);
    parser.on("field", (name, value) => {
      if (!form.has(name)) form.set(name, value);
    });
    parser.on("file", (_field, file, name, _encoding, type) => {
      const chunks: Buffer[] = [];
      if (!withFiles) file.resume();
      else file.on("data", (chunk: Buffer) => chunks.push(chunk));
      file.on("limit", () => fail(fileTooLarge(maxFileMebibytes)));
      file.on("end", () => {
        if (withFiles) files.push({ name, contentType: type, bytes: Buffer.concat(chunks) });
      });
    });
    // A form without any field, as client libraries send it, is no complete multipart body; it is an empty form.
    parser.on("error", () => (form.size + files.length === 0 ? resolve({ form, files }) : fail(malformed())));
    parser.on("finish", () => resolve({ form, files }));
    body.on("error", () => fail(malformed()));
    body.pipe(parser);
  });
}

/** Hands the first file of a body to `take` while it arrives, and reads past all else. */
export async function receiveFile<T>(
  { contentType, body }: ArrivingBody,
  take: (file: ArrivingFile) => Promise<T>,
): Promise<ReceivedFile<T>> {
  return new Promise((resolve, reject) => {
    let files = 0;
    let current: Readable | undefined;
    let taking: Promise<T> | undefined;
    const parser = startParser(contentType, { fieldSize: maxFieldBytes });
    const fail = (error: unknown) => {
      if (parser) body.unpipe(parser);
      body.resume();
      const reason = error instanceof Error ? error : malformed();
      current?.destroy(reason);
      reject(reason);
    };
    if (!parser) {
      fail(malformed());
      return;
    }
    parser.on("file", (_field, file, name, _encoding, type) => {
      files++;
      if (files > 1) {
        file.resume();
        return;
      }
      current = file;
      // Whoever reads it hears of it; a file that was read is no longer asked.
      file.on("error", () => undefined);
      taking = take({ name, contentType: type, body: file });
      taking.catch(fail);
    });
    // A form without any field, as client libraries send it, is no complete multipart body; it is an empty form.
    parser.on("error", () => (files === 0 ? resolve({ taken: undefined, files }) : fail(malformed())));
    parser.on("finish", () => {
      Promise.resolve(taking).then((taken) => resolve({ taken, files }), reject);
    });
    body.on("error", fail);
    body.pipe(parser);
  });
}

const bodyTooLarge = () => new ApiError("Request body is too large", { status: 413 });
const malformed = () => new ApiError("Malformed multipart body");

function startParser(
  contentType: string,
  limits: { fieldSize: number; files?: number; fileSize?: number },
): InstanceType<typeof Busboy> | undefined {
  try {
    const all = { fields: maxFields, parts: maxFields, ...limits };
    return new Busboy({ headers: { "content-type": contentType }, limits: all });
  } catch {
    return undefined; // the header has no boundary
  }
}

export const fileTooLarge = (mebibytes: number): ApiError =>
  new ApiError(`Uploaded file is larger than the allowed limit of ${mebibytes} MiB`);
