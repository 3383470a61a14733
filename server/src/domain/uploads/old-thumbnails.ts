/**
 * The address that thumbnails had once, which old messages and clients still use. It leads to where they are now, and
 * nowhere else; whether the reader may see the file is judged there.
 */
import type { Page, PageAnswer, PageRequest } from "../../http/router.ts";
import { thumbnailFormats } from "./thumbnails.ts";

const ownFile = /^\/?user_uploads\/([1-9]\d{0,14}(?:\/[A-Za-z0-9._-]+)+)$/;

const stillFormat = thumbnailFormats.find((format) => !format.animated);

export const oldThumbnailPages: Page[] = [{ path: "/thumbnail", serve: async (request) => lead(request) }];

function lead({ form }: PageRequest): PageAnswer {
  const [, pathId] = ownFile.exec(form.get("url") ?? "") ?? [];
  const size = form.get("size");
  const type = "text/plain; charset=utf-8";
  // What lies on other servers was shown here, too; there is a proxy of its own for that now, with signed addresses.
  if (pathId === undefined || (size !== "thumbnail" && size !== "full")) return { status: 403, type, body: "" };
  const path = size === "full" ? `/user_uploads/${pathId}` : `/user_uploads/thumbnail/${pathId}/${stillFormat?.name}`;
  return { status: 302, type, headers: { Location: path }, body: "" };
}
