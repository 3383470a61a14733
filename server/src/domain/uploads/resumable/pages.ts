/**
 * Resumable uploads by the protocol tus 1.0, with its extensions for creating (also with the first bytes), terminating
 * and expiring. The answer to the request that completes a file tells its address.
 */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { pageAccount } from "../../../http/page-account.ts";
import { rawBytes, type Page, type PageAnswer, type PageRequest } from "../../../http/router.ts";
import type { User } from "../../../http/sessions.ts";
import {
  accessResumable,
  appendTo,
  beginUpload,
  finishUpload,
  removeResumable,
  wrongOffset,
  type ResumableUpload,
} from "./upload.ts";

const root = "/api/v1/tus";
const version = "1.0.0";
const tus = { "Tus-Resumable": version, "Cache-Control": "no-store" };
const plain = "text/plain; charset=utf-8";
const nameless = "uploaded-file";

type Serve = (ctx: Context, request: PageRequest, user: User) => Promise<PageAnswer>;

export const resumablePages = (ctx: Context): Page[] =>
  ["", "/"].flatMap((slash): Page[] => [
    { path: root + slash, method: "POST", streams: rawBytes, serve: speaking(ctx, create) },
    { path: root + slash, method: "OPTIONS", serve: async () => describe(ctx) },
    { path: `${root}/:id${slash}`, method: "HEAD", serve: speaking(ctx, tell) },
    { path: `${root}/:id${slash}`, method: "PATCH", streams: rawBytes, serve: speaking(ctx, append) },
    { path: `${root}/:id${slash}`, method: "DELETE", serve: speaking(ctx, terminate) },
    { path: `${root}/:id${slash}`, method: "OPTIONS", serve: async () => describe(ctx) },
    // For clients that can send no other method.
    { path: `${root}/:id${slash}`, method: "POST", streams: rawBytes, serve: speaking(ctx, override) },
  ]);

/** Every answer, a refusal too, says which version of the protocol it is of. */
function speaking(ctx: Context, serve: Serve): Page["serve"] {
  return async (request) => {
    if (request.header("tus-resumable") !== version)
      throw new ApiError("This version of the protocol is not spoken here", {
        status: 412,
        headers: { "Tus-Version": version },
      });
    try {
      return await serve(ctx, request, await pageAccount(ctx, request));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message, code, status, headers } = error;
      throw new ApiError(message, { code, status, headers: { ...headers, ...tus } });
    }
  };
}

function describe({ config }: Context): PageAnswer {
  const headers = {
    ...tus,
    "Tus-Version": version,
    "Tus-Extension": "creation,creation-with-upload,expiration,termination",
    "Tus-Max-Size": String(config.maxUploadMebibytes * 1024 ** 2),
  };
  return { status: 204, type: plain, headers, body: "" };
}

const create: Serve = async (ctx, request, user) => {
  const metadata = readMetadata(request.header("upload-metadata"));
  const begun = await beginUpload(ctx, user, {
    name: metadata.get("filename") ?? metadata.get("name") ?? nameless,
    contentType: metadata.get("filetype") ?? metadata.get("type") ?? "",
    size: readCount(request.header("upload-length"), "Upload-Length"),
  });
  const upload = request.body ? await appendTo(ctx, begun, request.body) : begun;
  return answer(ctx, user, upload, { status: 201, headers: { Location: `${root}/${upload.id}` } });
};

const append: Serve = async (ctx, request, user) => {
  const upload = await accessResumable(ctx.db, user, idOf(request));
  if (!request.body) throw new ApiError(`The body must be of the type ${rawBytes}`, { status: 415 });
  if (readCount(request.header("upload-offset"), "Upload-Offset") !== upload.received) throw wrongOffset();
  return answer(ctx, user, await appendTo(ctx, upload, request.body), { status: 204, headers: {} });
};

/** Also brings to its end what a crash has left all but finished. */
const tell: Serve = async (ctx, request, user) => {
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
  const meant = request.header("x-http-method-override")?.toUpperCase();
  if (meant === "PATCH") return append(ctx, request, user);
  if (meant === "DELETE") return terminate(ctx, request, user);
  throw new ApiError("Method Not Allowed", { status: 405 });
};

interface Success {
  status: number;
  headers: Record<string, string>;
}

async function answer(
  ctx: Context,
  user: User,
  upload: ResumableUpload,
  { status, headers }: Success,
): Promise<PageAnswer> {
  const all = { ...describing(upload), ...headers };
  const file = await finishUpload(ctx, user, upload);
  if (!file) return { status, type: plain, headers: all, body: "" };
  const body = JSON.stringify({ url: `/user_uploads/${file.pathId}`, filename: file.name });
  // There is something to read now.
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

/** Names, each with a value in base64. */
function readMetadata(header = ""): Map<string, string> {
  return new Map(
    header.split(",").map((pair) => {
      const [name = "", value = ""] = pair.trim().split(" ", 2);
      return [name, Buffer.from(value, "base64").toString("utf8")];
    }),
  );
}
