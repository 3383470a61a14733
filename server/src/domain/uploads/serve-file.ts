/** A file as an answer: in a way that no browser runs it, in part where a part is asked for. */
import type { Context } from "../../context.ts";
import type { PageAnswer, PageRequest } from "../../http/router.ts";
import type { ByteRange } from "../../platform/file-store.ts";
import { fileNotFound, type StoredUpload } from "./access.ts";
import { deliveryOf } from "./content-type.ts";
import { uploadKey } from "./file-name.ts";

/** Whatever is in the file: it is no page of ours, it runs nothing, and it is of no other type than we say. */
const harmless = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  "Referrer-Policy": "no-referrer",
};

/** Kept by the reader's own browser, which asks each time whether the reader may still see it. */
export const privately = { ...harmless, "Cache-Control": "private, no-cache" };

export async function serveFile(
  ctx: Context,
  upload: StoredUpload,
  { method, header }: Pick<PageRequest, "method" | "header">,
  { isDownload = false } = {},
): Promise<PageAnswer> {
  const { type, isShown } = deliveryOf(upload.content_type);
  const disposition = isShown && !isDownload ? "inline" : "attachment";
  const etag = etagOf(upload);
  const headers = {
    ...privately,
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

/** A path is given to one file, once; its middle names it. */
export const etagOf = ({ path_id }: StoredUpload, format = ""): string => `"${path_id.split("/")[2]}${format}"`;

/** With all its characters for who can read them so, without them for others. */
function fileNameParameter(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** One range of bytes; several at once, or what cannot be understood, is answered with the whole. */
export function readRange(asked: string | undefined, size: number): ByteRange | "outside" | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked ?? "") ?? [];
  if (from === undefined || to === undefined || from + to === "") return undefined;
  const last = size - 1;
  if (from === "") return Number(to) === 0 ? "outside" : { from: Math.max(0, size - Number(to)), to: last };
  if (to !== "" && Number(to) < Number(from)) return undefined;
  if (Number(from) > last) return "outside";
  return { from: Number(from), to: to === "" ? last : Math.min(last, Number(to)) };
}
