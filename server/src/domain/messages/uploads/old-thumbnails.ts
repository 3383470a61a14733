/**
 * The former URL of thumbnails, which old messages and clients still use. It redirects to the current one and nowhere
 * else; the target checks access.
 */
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import { thumbnailFormats } from "./thumbnails.ts";

const ownFile = /^\/?user_uploads\/([1-9]\d{0,14}(?:\/[A-Za-z0-9._-]+)+)$/;

const stillFormat = thumbnailFormats.find((format) => !format.animated);

export const oldThumbnailPages: Page[] = [{ path: "/thumbnail", serve: async (request) => redirect(request) }];

function redirect({ form }: PageRequest): PageResponse {
  const [, pathId] = ownFile.exec(form.get("url") ?? "") ?? [];
  const size = form.get("size");
  const type = "text/plain; charset=utf-8";
  // Images of other servers were shown here, too; they now have their own proxy, with signed URLs.
  if (pathId === undefined || (size !== "thumbnail" && size !== "full")) return { status: 403, type, body: "" };
  const path = size === "full" ? `/user_uploads/${pathId}` : `/user_uploads/thumbnail/${pathId}/${stillFormat?.name}`;
  return { status: 302, type, headers: { Location: path }, body: "" };
}
