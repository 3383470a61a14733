/** Serves uploaded files and their thumbnails to those who may fetch them. */
import type { Context } from "../../../context.ts";
import { ApiError, unauthorized } from "../../../errors.ts";
import { findPageAccount } from "../../../http/page-account.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import { accountById } from "../../../identity/account.ts";
import { areWebPublicChannelsEnabled } from "../../organization/realm/web-public.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { accessPublicUpload, accessUpload, fileNotFound, type StoredUpload } from "./access.ts";
import { etagOf, privateHeaders, serveFile } from "./serve-file.ts";
import { openToken } from "./temporary-url.ts";
import { thumbnail, TooManyThumbnails } from "./thumbnails.ts";

const pathIdOf = ({ params }: PageRequest): string => `${params["realm_id"]}/${params["*"]}`;

export const uploadPages = (ctx: Context): Page[] => [
  {
    path: "/user_uploads/:realm_id/*",
    serve: async (request) => serveFile(ctx, await accessRequestedFile(ctx, request, pathIdOf(request)), request),
  },
  {
    path: "/user_uploads/download/:realm_id/*",
    serve: async (request) =>
      serveFile(ctx, await accessRequestedFile(ctx, request, pathIdOf(request)), request, { isDownload: true }),
  },
  { path: "/user_uploads/thumbnail/:realm_id/*", serve: (request) => serveThumbnail(ctx, request) },
  { path: "/user_uploads/temporary/:token/:file_name", serve: (request) => serveTemporarily(ctx, request) },
];

/** The file, for the requesting account, or for anybody if the organization has web-public channels. */
async function accessRequestedFile(ctx: Context, request: PageRequest, pathId: string): Promise<StoredUpload> {
  const user = await findPageAccount(ctx, request, "files");
  if (user) return accessUpload(ctx.db, user, pathId);
  const realm = await findRealm(ctx.db, request.host);
  try {
    if (areWebPublicChannelsEnabled(ctx.config, realm)) return await accessPublicUpload(ctx.db, realm, pathId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  throw unauthorized("Missing authorization header for basic auth");
}

async function serveThumbnail(ctx: Context, request: PageRequest): Promise<PageResponse> {
  const [, pathId = "", format = ""] = /^(.*)\/([^/]*)$/.exec(pathIdOf(request)) ?? [];
  const upload = await accessRequestedFile(ctx, request, pathId);
  const headers = { ...privateHeaders, ETag: etagOf(upload, format) };
  if (request.header("if-none-match") === headers.ETag) return { status: 304, type: "image/webp", headers, body: "" };
  try {
    const image = await thumbnail(ctx, upload, format);
    if (!image) throw fileNotFound();
    return { status: 200, type: image.contentType, headers, body: image.bytes };
  } catch (error) {
    if (error instanceof TooManyThumbnails)
      return {
        status: 503,
        type: "text/plain; charset=utf-8",
        headers: { ...privateHeaders, "Retry-After": "5" },
        body: "",
      };
    throw error;
  }
}

async function serveTemporarily(ctx: Context, request: PageRequest): Promise<PageResponse> {
  const opened = openToken(ctx.secretBox, request.params["token"] ?? "");
  const user = opened && (await accountById(ctx.db, opened.user_id));
  if (!opened || !user) throw fileNotFound();
  const upload = await accessUpload(ctx.db, user, opened.path_id);
  const isDownload = request.form.get("download") === "1";
  return serveFile(ctx, upload, request, { isDownload });
}
