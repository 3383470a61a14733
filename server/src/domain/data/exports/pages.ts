/** Downloading exports. Each request checks that the user is an administrator, so an old URL is useless to a former one. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { pageAccount } from "../../../http/page-account.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import { readRange } from "../../messages/uploads/serve-file.ts";
import { findExportFile } from "./access.ts";
import { exportFileName, exportKey, exportPath, exportType } from "./address.ts";

export const exportPages = (ctx: Context): Page[] => [
  { path: exportPath, serve: (request) => serveExport(ctx, request) },
];

const notFound = () => new ApiError("File not found.", { status: 404 });

async function serveExport(ctx: Context, request: PageRequest): Promise<PageResponse> {
  const user = await pageAccount(ctx, request, "admin");
  const found = await findExportFile(ctx.db, user, request.params["secret"] ?? "");
  if (!found?.size) throw notFound();
  const { size } = found;
  const range = readRange(request.header("range"), size);
  const headers = {
    "Cache-Control": "private, no-store",
    "Content-Disposition": `attachment; filename="${exportFileName(found)}"`,
    "X-Content-Type-Options": "nosniff",
    "Accept-Ranges": "bytes",
  };
  if (range === "outside")
    return { status: 416, type: exportType, headers: { ...headers, "Content-Range": `bytes */${size}` }, body: "" };
  const described = {
    ...headers,
    "Content-Length": String(range ? range.to - range.from + 1 : size),
    ...(range ? { "Content-Range": `bytes ${range.from}-${range.to}/${size}` } : {}),
  };
  const status = range ? 206 : 200;
  if (request.method === "HEAD") return { status, type: exportType, headers: described, body: "" };
  const file = await ctx.files.open(exportKey(found), range);
  if (!file) throw notFound();
  return { status, type: exportType, headers: described, body: file.body };
}
