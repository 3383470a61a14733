/**
 * Reads parameters as names and strings from the query and from a urlencoded, multipart or JSON body, for every method. A
 * parameter in the body overrides one in the query; a parameter given twice in the same place is an error.
 */
import type { Readable } from "node:stream";
import { isWithinJsonLimits, parseJson } from "@skein/api/endpoint.ts";
import { Busboy } from "@fastify/busboy";
import { ApiError } from "../errors.ts";

export type Form = Map<string, string>;

/** A file in a multipart body. */
export interface SentFile {
  /** The client's file name, which may be any text. */
  name: string;
  /** As declared by the client. */
  contentType: string;
  bytes: Buffer;
}

export interface Body {
  form: Form;
  /** Names of fields from a JSON body, for which the form holds JSON text, even for strings. */
  jsonNames?: ReadonlySet<string>;
  files: SentFile[];
  /** The unparsed body, for pages that request it. */
  bytes?: Buffer;
  /** A body that has not been read yet: see receiveFile(). */
  arriving?: StreamedBody;
}

export interface StreamedBody {
  contentType: string;
  body: NodeJS.ReadableStream;
}

/** A file that is being received. A reader that stops reading aborts the transfer. */
export interface StreamedFile {
  name: string;
  contentType: string;
  body: AsyncIterable<Buffer>;
}

export interface ReceivedFile<T> {
  /** What `take` returned for the first file. */
  taken: T | undefined;
  /** The number of files in the body. */
  files: number;
}

/** More than any endpoint declares, with room for unknown parameters. */
const maxFields = 1000;
/** For a JSON body, over all nesting levels; enough for the parameter that accepts most values. */
const maxJsonValues = 110_000;
/** For a field that is skipped. */
const maxFieldBytes = 1024 ** 2;
const maxFiles = 1;
const maxFileMebibytes = 25;

/**
 * Reads urlencoded pairs. They are counted before decoding, and decoding throws no exceptions, so that the cost of hostile
 * input is linear in its length.
 */
export function readPairs(text: string, into: Form): void {
  if (text === "") return;
  assertFewFields(text);
  const earlier = into.size > 0 ? new Set(into.keys()) : undefined;
  for (let start = 0; start <= text.length;) {
    const ampersand = text.indexOf("&", start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (end > start) readPair(text, start, end, into, earlier);
    start = end + 1;
  }
}

function readPair(text: string, start: number, end: number, into: Form, earlier: Set<string> | undefined): void {
  // Search for "=" only within the pair; searching the whole text for every pair would be quadratic.
  const pair = text.slice(start, end);
  const equals = pair.indexOf("=");
  const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
  if (earlier?.has(name)) return;
  if (into.has(name)) throw repeatedParameter(name);
  into.set(name, equals < 0 ? "" : decodeField(pair.slice(equals + 1)));
}

/** The first value with this name in urlencoded text of any length. */
export function findField(text: string, name: string): string | undefined {
  for (let start = 0; start <= text.length;) {
    const ampersand = text.indexOf("&", start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (text.startsWith(`${name}=`, start)) return decodeField(text.slice(start + name.length + 1, end));
    start = end + 1;
  }
  return undefined;
}

function assertFewFields(text: string): void {
  let fields = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    fields++;
    if (fields > maxFields) throw tooManyParameters();
  }
}

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;
/** The value of each byte as a hexadecimal digit; 255 if it is not one. */
const hexValues = new Uint8Array(256).fill(255);
for (const [value, digits] of [
  "0",
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7",
  "8",
  "9",
  "aA",
  "bB",
  "cC",
  "dD",
  "eE",
  "fF",
].entries())
  for (const byte of Buffer.from(digits)) hexValues[byte] = value;

/**
 * Decodes a urlencoded name or value. Unlike decodeURIComponent() and URLSearchParams it never throws, not even internally:
 * invalid escapes are left as they are, and invalid UTF-8 becomes U+FFFD.
 */
export function decodeField(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  const bytes = Buffer.from(text);
  const { length } = bytes;
  let written = 0;
  for (let read = 0; read < length; read++) {
    let byte = bytes[read] as number; // within its length
    if (byte === plus) byte = space;
    else if (byte === percent && read + 2 < length) {
      const high = hexValues[bytes[read + 1] as number] as number; // a byte is an index of the table
      const low = hexValues[bytes[read + 2] as number] as number;
      if (high < 16 && low < 16) {
        byte = high * 16 + low;
        read += 2;
      }
    }
    bytes[written++] = byte;
  }
  return bytes.toString("utf8", 0, written);
}

/** The fields of a JSON body, each as JSON text. */
export function readJsonFields(text: string): Form {
  if (text.trim() === "") return new Map();
  if (!isWithinJsonLimits(text, maxJsonValues)) throw new ApiError("The JSON body has too many values");
  const names = Object.entries(parseObject(text));
  if (names.length > maxFields) throw tooManyParameters();
  return new Map(names.map(([name, value]) => [name, JSON.stringify(value)]));
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new ApiError("The request body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ApiError("The JSON body must be an object with a field for each parameter");
  return value;
}

interface Multipart {
  contentType: string;
  body: NodeJS.ReadableStream;
  /** If false, files are skipped. */
  withFiles: boolean;
  /** For the whole body, including skipped files. */
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
    let isEmpty = true;
    let left = maxBytes;
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left >= 0) return;
      body.off("data", count); // fail only once, however much follows
      fail(bodyTooLarge());
    };
    body.on("data", count);
    parser.on("field", (name, value) => {
      isEmpty = false;
      if (form.has(name)) fail(repeatedParameter(name));
      form.set(name, value);
    });
    parser.on("partsLimit", () => fail(tooManyParameters()));
    parser.on("fieldsLimit", () => fail(tooManyParameters()));
    parser.on("file", (_field, file, name, _encoding, type) => {
      isEmpty = false;
      const chunks: Buffer[] = [];
      if (!withFiles) file.resume();
      else file.on("data", (chunk: Buffer) => chunks.push(chunk));
      file.on("limit", () => fail(fileTooLarge(maxFileMebibytes)));
      // The body ended within a file. Without a listener this error would end the process.
      file.on("error", () => fail(malformed()));
      file.on("end", () => {
        if (withFiles) files.push({ name, contentType: type, bytes: Buffer.concat(chunks) });
      });
    });
    // A form without any field, as client libraries send it, is no complete multipart body; it is an empty form.
    parser.on("error", () => (isEmpty ? resolve({ form, files }) : fail(malformed())));
    parser.on("finish", () => resolve({ form, files }));
    body.on("error", () => fail(malformed()));
    body.pipe(parser);
  });
}

/** Passes the first file of a body to `take` while it is received, and skips everything else. */
export async function receiveFile<T>(
  { contentType, body }: StreamedBody,
  take: (file: StreamedFile) => Promise<T>,
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
      // A body can end within a file. The reader of the first file gets that error, and the parser reports it for the
      // others; without a listener it would end the process.
      file.on("error", () => undefined);
      if (files > 1) {
        file.resume();
        return;
      }
      current = file;
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

const tooManyParameters = () => new ApiError(`Too many parameters (limit: ${maxFields})`);
const repeatedParameter = (name: string) =>
  new ApiError(`Parameter '${name.slice(0, maxNameShown)}' was given more than once`);
/** Maximum length of a parameter name in an error message. */
const maxNameShown = 100;
export const bodyTooLarge = () => new ApiError("Request body is too large", { status: 413 });
export const incompleteBody = () => new ApiError("The request body is incomplete");
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
