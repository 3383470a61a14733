/** Serves a file so that no browser runs it; supports range requests. */
import type { Context } from "../../../context.ts";
import type { PageResponse, PageRequest } from "../../../http/page.ts";
import type { ByteRange } from "../../../platform/file-store.ts";
import { fileNotFound, type StoredUpload } from "./access.ts";
import { deliveryOf } from "./content-type.ts";
import { uploadKey } from "./file-name.ts";

/**
 * Whatever the file contains, it must not act as one of our pages, run anything, or be treated as another type than
 * declared.
 */
const safeHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  "Referrer-Policy": "no-referrer",
};

/** Cached only by the reader's own browser, which revalidates each time whether the reader still has access. */
export const privateHeaders = { ...safeHeaders, "Cache-Control": "private, no-cache" };

export async function serveFile(
  ctx: Context,
  upload: StoredUpload,
  { method, header }: Pick<PageRequest, "method" | "header">,
  { isDownload = false } = {},
): Promise<PageResponse> {
  const { type, isShown } = deliveryOf(upload.content_type);
  const disposition = isShown && !isDownload ? "inline" : "attachment";
  const etag = etagOf(upload);
  const headers = {
    ...privateHeaders,
    "Content-Disposition": `${disposition}; ${fileNameParameter(upload.file_name)}`,
    "Accept-Ranges": "bytes",
    ETag: etag,
  };
  if (header("if-none-match") === etag) return { status: 304, type, headers, body: "" };
  const range = readRange(header("range"), upload.size);
  if (range === "outside")
    return { status: 416, type, headers: { ...headers, "Content-Range": `bytes */${upload.size}` }, body: "" };
  const length = range ? range.to - range.from + 1 : upload.size;
  const described = {
    ...headers,
    "Content-Length": String(length),
    ...(range ? { "Content-Range": `bytes ${range.from}-${range.to}/${upload.size}` } : {}),
  };
  const status = range ? 206 : 200;
  if (method === "HEAD") return { status, type, headers: described, body: "" };
  const file = await ctx.files.open(uploadKey(upload.path_id), range);
  if (!file) throw fileNotFound();
  return { status, type, headers: described, body: file.body };
}

/** A path is used for one file only; its random part identifies the file. */
export const etagOf = ({ path_id }: StoredUpload, format = ""): string => `"${path_id.split("/")[2]}${format}"`;

/** The exact name for clients that support it, and an ASCII version for others. */
function fileNameParameter(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** A single byte range; the response to several ranges or an invalid one is the whole file. */
export function readRange(header: string | undefined, size: number): ByteRange | "outside" | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === undefined || to === undefined || from + to === "") return undefined;
  const last = size - 1;
  if (from === "") return Number(to) === 0 ? "outside" : { from: Math.max(0, size - Number(to)), to: last };
  if (to !== "" && Number(to) < Number(from)) return undefined;
  if (Number(from) > last) return "outside";
  return { from: Number(from), to: to === "" ? last : Math.min(last, Number(to)) };
}
