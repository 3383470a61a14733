/** Uploaded files and their thumbnails, for those who may fetch them. */
import type { Context } from "../../context.ts";
import { ApiError, unauthorized } from "../../errors.ts";
import { findPageAccount } from "../../http/page-account.ts";
import type { Page, PageAnswer, PageRequest } from "../../http/router.ts";
import { accountById } from "../../http/sessions.ts";
import { areWebPublicChannelsEnabled } from "../channels/web-public.ts";
import { findRealm } from "../realm/find-realm.ts";
import { accessPublicUpload, accessUpload, fileNotFound, type StoredUpload } from "./access.ts";
import { etagOf, privately, serveFile } from "./serve-file.ts";
import { openToken } from "./temporary-address.ts";
import { thumbnail, TooManyThumbnails } from "./thumbnails.ts";

const pathIdOf = ({ params }: PageRequest): string => `${params["realm_id"]}/${params["*"]}`;

export const uploadPages = (ctx: Context): Page[] => [
  {
    path: "/user_uploads/:realm_id/*",
    serve: async (request) => serveFile(ctx, await accessAsked(ctx, request, pathIdOf(request)), request),
  },
  {
    path: "/user_uploads/download/:realm_id/*",
    serve: async (request) =>
      serveFile(ctx, await accessAsked(ctx, request, pathIdOf(request)), request, { isDownload: true }),
  },
  { path: "/user_uploads/thumbnail/:realm_id/*", serve: (request) => serveThumbnail(ctx, request) },
  { path: "/user_uploads/temporary/:token/:file_name", serve: (request) => serveTemporarily(ctx, request) },
];

/** The file, for the account that asks, or for anybody where the organization is open to those without one. */
async function accessAsked(ctx: Context, request: PageRequest, pathId: string): Promise<StoredUpload> {
  const user = await findPageAccount(ctx, request);
  if (user) return accessUpload(ctx.db, user, pathId);
  const realm = await findRealm(ctx.db, request.host);
  try {
    if (areWebPublicChannelsEnabled(ctx.config, realm)) return await accessPublicUpload(ctx.db, realm, pathId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  throw unauthorized("Missing authorization header for basic auth");
}

async function serveThumbnail(ctx: Context, request: PageRequest): Promise<PageAnswer> {
  const [, pathId = "", format = ""] = /^(.*)\/([^/]*)$/.exec(pathIdOf(request)) ?? [];
  const upload = await accessAsked(ctx, request, pathId);
  const headers = { ...privately, ETag: etagOf(upload, format) };
  if (request.header("if-none-match") === headers.ETag) return { status: 304, type: "image/webp", headers, body: "" };
  try {
    const picture = await thumbnail(ctx, upload, format);
    if (!picture) throw fileNotFound();
    return { status: 200, type: picture.contentType, headers, body: picture.bytes };
  } catch (error) {
    if (error instanceof TooManyThumbnails)
      return {
        status: 503,
        type: "text/plain; charset=utf-8",
        headers: { ...privately, "Retry-After": "5" },
        body: "",
      };
    throw error;
  }
}

async function serveTemporarily(ctx: Context, request: PageRequest): Promise<PageAnswer> {
  const opened = openToken(ctx.secretBox, request.params["token"] ?? "");
  const user = opened && (await accountById(ctx.db, opened.user_id));
  if (!opened || !user) throw fileNotFound();
  const upload = await accessUpload(ctx.db, user, opened.path_id);
  const isDownload = request.form.get("download") === "1";
  return serveFile(ctx, upload, request, { isDownload });
}
