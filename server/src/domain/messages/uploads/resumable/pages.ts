/**
 * Resumable uploads with the protocol tus 1.0 and its extensions for creation (also with the first bytes), termination
 * and expiration. The response to the request that completes a file contains its URL.
 */
import { maxUploadBytes } from "../limit.ts";
import type { Context } from "../../../../context.ts";
import { ApiError } from "../../../../errors.ts";
import { rawBytes } from "../../../../http/bodies.ts";
import { pageAccount } from "../../../../http/page-account.ts";
import { countUpload } from "../../../../http/page-limits.ts";
import type { Page, PageResponse, PageRequest } from "../../../../http/page.ts";
import type { User } from "../../../../identity/account.ts";
import {
  accessResumable,
  appendTo,
  startUpload,
  finishUpload,
  removeResumable,
  root,
  wrongOffset,
  type ResumableUpload,
} from "./upload.ts";

const version = "1.0.0";
const tus = { "Tus-Resumable": version, "Cache-Control": "no-store" };
const plain = "text/plain; charset=utf-8";
const defaultName = "uploaded-file";

type Serve = (ctx: Context, request: PageRequest, user: User) => Promise<PageResponse>;

export const resumablePages = (ctx: Context): Page[] =>
  ["", "/"].flatMap((slash): Page[] => [
    { path: root + slash, method: "POST", streams: rawBytes, serve: withProtocol(ctx, create) },
    { path: root + slash, method: "OPTIONS", serve: async () => describe(ctx) },
    { path: `${root}/:id${slash}`, method: "HEAD", serve: withProtocol(ctx, reportOffset) },
    { path: `${root}/:id${slash}`, method: "PATCH", streams: rawBytes, serve: withProtocol(ctx, append) },
    { path: `${root}/:id${slash}`, method: "DELETE", serve: withProtocol(ctx, terminate) },
    { path: `${root}/:id${slash}`, method: "OPTIONS", serve: async () => describe(ctx) },
    // For clients that cannot send other methods.
    { path: `${root}/:id${slash}`, method: "POST", streams: rawBytes, serve: withProtocol(ctx, override) },
  ]);

/** Every response, errors included, states the version of the protocol. */
function withProtocol(ctx: Context, serve: Serve): Page["serve"] {
  return async (request) => {
    if (request.header("tus-resumable") !== version)
      throw new ApiError(`Unsupported tus version. This server supports ${version}.`, {
        status: 412,
        headers: { "Tus-Version": version },
      });
    try {
      const user = await pageAccount(ctx, request, "files");
      countUpload(ctx, user);
      return await serve(ctx, request, user);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message, code, status, headers } = error;
      throw new ApiError(message, { code, status, headers: { ...headers, ...tus } });
    }
  };
}

function describe({ config }: Context): PageResponse {
  const headers = {
    ...tus,
    "Tus-Version": version,
    "Tus-Extension": "creation,creation-with-upload,expiration,termination",
    "Tus-Max-Size": String(maxUploadBytes(config)),
  };
  return { status: 204, type: plain, headers, body: "" };
}

const create: Serve = async (ctx, request, user) => {
  const metadata = readMetadata(request.header("upload-metadata"));
  const started = await startUpload(ctx, user, {
    name: metadata.get("filename") ?? metadata.get("name") ?? defaultName,
    contentType: metadata.get("filetype") ?? metadata.get("type") ?? "",
    size: readCount(request.header("upload-length"), "Upload-Length"),
  });
  const upload = request.body ? await appendTo(ctx, started, request.body) : started;
  return respond(ctx, user, upload, { status: 201, headers: { Location: `${root}/${upload.id}` } });
};

const append: Serve = async (ctx, request, user) => {
  const upload = await accessResumable(ctx.db, user, idOf(request));
  if (!request.body) throw new ApiError(`The Content-Type must be ${rawBytes}.`, { status: 415 });
  const offset = readCount(request.header("upload-offset"), "Upload-Offset");
  if (offset !== upload.received)
    throw wrongOffset(`Upload offset mismatch: expected ${upload.received}, got ${offset}.`);
  return respond(ctx, user, await appendTo(ctx, upload, request.body), { status: 204, headers: {} });
};

/** Also finishes an upload that a crash left complete but not kept. */
const reportOffset: Serve = async (ctx, request, user) => {
  const upload = await accessResumable(ctx.db, user, idOf(request));
  await finishUpload(ctx, user, upload);
  return {
    status: 200,
    type: plain,
    headers: { ...describing(upload), "Upload-Length": String(upload.size) },
    body: "",
  };
};

const terminate: Serve = async (ctx, request, user) => {
  await removeResumable(ctx, await accessResumable(ctx.db, user, idOf(request)));
  return { status: 204, type: plain, headers: tus, body: "" };
};

const override: Serve = async (ctx, request, user) => {
  const method = request.header("x-http-method-override")?.toUpperCase();
  if (method === "PATCH") return append(ctx, request, user);
  if (method === "DELETE") return terminate(ctx, request, user);
  throw new ApiError("Method Not Allowed", { status: 405 });
};

interface Success {
  status: number;
  headers: Record<string, string>;
}

async function respond(
  ctx: Context,
  user: User,
  upload: ResumableUpload,
  { status, headers }: Success,
): Promise<PageResponse> {
  const all = { ...describing(upload), ...headers };
  const file = await finishUpload(ctx, user, upload);
  if (!file) return { status, type: plain, headers: all, body: "" };
  const body = JSON.stringify({ url: `/user_uploads/${file.pathId}`, filename: file.name });
  // A response with a body cannot be 204.
  return { status: status === 204 ? 200 : status, type: "application/json; charset=utf-8", headers: all, body };
}

const describing = ({ received, expires_at }: ResumableUpload) => ({
  ...tus,
  "Upload-Offset": String(received),
  "Upload-Expires": expires_at.toUTCString(),
});

const idOf = ({ params }: PageRequest): string => params["id"] ?? "";

function readCount(text: string | undefined, header: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new ApiError(`${header} must be a number`);
  return Number(text);
}

/** Pairs of a name and a value in base64. */
function readMetadata(header = ""): Map<string, string> {
  return new Map(
    header.split(",").map((pair) => {
      const [name = "", value = ""] = pair.trim().split(" ", 2);
      return [name, Buffer.from(value, "base64").toString("utf8")];
    }),
  );
}
