/**
 * Parses request bodies and limits their size. An unauthenticated client may send only a small body; a larger one is read
 * only after the route has authenticated the account and raised `maxBody`.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { forLibrary } from "../platform/log.ts";
import { Limiter } from "../platform/limiter.ts";
import {
  bodyTooLarge,
  incompleteBody,
  readJsonFields,
  readMultipart,
  readPairs,
  type Body,
  type Form,
} from "./form.ts";
import type { ErrorBody } from "./page.ts";
import { discardSlowly } from "./rejected-bodies.ts";

/** Content type of raw bodies. */
export const rawBytes = "application/offset+octet-stream";

/** Limit before the sender is authenticated. */
export const smallBodyBytes = 64 * 1024;
/** Limit for any body that is held in memory, including files. */
export const maxBodyBytes = 26 * 1024 ** 2;
/** Limit for parameters. Parsing them blocks the event loop for about 25 ms per mebibyte. */
const maxFormBytes = 10 * 1024 ** 2;

declare module "fastify" {
  interface FastifyRequest {
    /** How many bytes of the body may be read. */
    maxBody: number;
    /** Counts a large form of this many bytes against its sender's limit before it is parsed; throws if it exceeds that. */
    countForm: ((bytes: number) => void) | undefined;
  }
  interface FastifyContextConfig {
    /** Files in the body are read into memory for the handler. */
    takesFile?: boolean;
    /** The handler reads the body itself, including its files. */
    streamsFile?: boolean;
    /** The page reads a raw body itself. */
    streamsBytes?: boolean;
    /** Bodies of every type are passed on unparsed. */
    keepsBody?: boolean;
    /** The form of error responses, if it is not the API's. */
    errorBody?: ErrorBody | undefined;
    /** A JSON body contains parameters. */
    takesJson?: boolean;
  }
}

/** Whether the sender must be authenticated before the body is read. */
export function hasLargeBody({ headers }: FastifyRequest): boolean {
  if (headers["transfer-encoding"] !== undefined) return true;
  return Number(headers["content-length"] ?? 0) > smallBodyBytes;
}

/** Whether the declared length exceeds what an unauthenticated client may send. */
export const isDeclaredLarge = ({ headers }: FastifyRequest): boolean =>
  Number(headers["content-length"] ?? 0) > smallBodyBytes;

type App = FastifyInstance<Server, IncomingMessage, ServerResponse, ReturnType<typeof forLibrary>>;

export function readBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest("maxBody", smallBodyBytes);
  app.decorateRequest("countForm", undefined);

  app.addContentTypeParser("application/x-www-form-urlencoded", (request, payload, done) => {
    collect(request, payload, maxFormBytes, (error, bytes) => {
      if (error) return done(error);
      const form: Form = new Map();
      if (isKept(request)) return done(null, { form, files: [], bytes } satisfies Body);
      parseInTurn(request, bytes, done, (text) => {
        readPairs(text, form);
        return { form, files: [] };
      });
    });
  });

  app.addContentTypeParser("application/json", (request, payload, done) => {
    const takesJson = request.routeOptions.config.takesJson === true;
    if (!takesJson && !isKept(request)) return discard(request, done);
    collect(request, payload, takesJson ? maxFormBytes : maxBodyBytes, (error, bytes) => {
      if (error) return done(error);
      if (!takesJson) return done(null, { form: new Map(), files: [], bytes } satisfies Body);
      parseInTurn(request, bytes, done, (text) => {
        const form = readJsonFields(text);
        return { form, jsonNames: new Set(form.keys()), files: [] };
      });
    });
  });

  app.addContentTypeParser(/^multipart\/form-data/, (request, payload, done) => {
    const contentType = request.headers["content-type"] ?? "";
    const { takesFile: withFiles = false, streamsFile = false } = request.routeOptions.config;
    const maxBytes = Math.min(request.maxBody, maxBodyBytes);
    if (streamsFile) {
      done(null, { form: new Map(), files: [], arriving: { contentType, body: payload } } satisfies Body);
    } else if (declaredLength(request) > maxBytes) {
      done(bodyTooLarge());
    } else {
      readMultipart({ contentType, body: payload, withFiles, maxBytes }).then((body) => {
        done(null, body);
      }, done);
    }
  });

  app.addContentTypeParser(rawBytes, (request, payload, done) => {
    const streamsBytes = request.routeOptions.config.streamsBytes === true;
    if (!streamsBytes) discardSlowly(request.raw);
    done(null, streamsBytes ? payload : undefined);
  });

  // Bodies of other types contain no parameters.
  app.addContentTypeParser("*", (request, payload, done) => {
    if (!isKept(request)) return discard(request, done);
    collect(request, payload, maxBodyBytes, (error, bytes) => {
      if (error) return done(error);
      done(null, { form: new Map(), files: [], bytes } satisfies Body);
    });
  });
}

const isKept = (request: FastifyRequest): boolean => request.routeOptions.config.keepsBody === true;

function discard(request: FastifyRequest, done: (error: null, body: undefined) => void): void {
  discardSlowly(request.raw);
  done(null, undefined);
}

/** Large forms are parsed one at a time, and other requests are served in between. */
const largeForms = new Limiter(1, Infinity);

/** `parse` and the request's limit throw only ApiErrors. */
function parseInTurn(
  request: FastifyRequest,
  bytes: Buffer,
  done: (error: Error | null, body?: Body) => void,
  parse: (text: string) => Body,
): void {
  const parseNow = (): void => {
    let body: Body;
    try {
      request.countForm?.(bytes.length);
      body = parse(bytes.toString("utf8"));
    } catch (refusal) {
      done(refusal as Error);
      return;
    }
    done(null, body);
  };
  if (bytes.length <= smallBodyBytes) parseNow();
  else void largeForms.take(async () => (parseNow(), setImmediate()));
}

/** NaN if the sender does not declare it. */
const declaredLength = ({ headers }: FastifyRequest): number => Number(headers["content-length"]);

type Collected = (error: Error | null, bytes: Buffer) => void;
const nothing = Buffer.alloc(0);

function collect(request: FastifyRequest, payload: NodeJS.ReadableStream, limit: number, done: Collected): void {
  const maxBytes = Math.min(request.maxBody, limit);
  if (declaredLength(request) > maxBytes) return done(bodyTooLarge(), nothing);
  const chunks: Buffer[] = [];
  let length = 0;
  const end = (error: Error | null): void => {
    payload.off("data", take).off("end", finish).off("error", fail);
    if (error) payload.on("error", () => undefined); // the connection may be lost later
    done(error, error ? nothing : joined(chunks, length));
  };
  const take = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    else end(bodyTooLarge());
  };
  const finish = (): void => end(null);
  const fail = (): void => end(incompleteBody());
  payload.on("data", take).on("end", finish).on("error", fail);
}

/** A small body arrives in one chunk, which need not be copied. */
function joined(chunks: Buffer[], length: number): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks, length);
}
