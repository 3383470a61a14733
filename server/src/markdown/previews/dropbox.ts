/** Files and folders shared through Dropbox. */
import type { SplitUrl } from "../url-policy.ts";
import { hostNameOf } from "./media-types.ts";

export type DropboxKind = "file" | "folder";

/** Undefined for other pages, which are previewed like any. */
export function dropboxKind(url: SplitUrl): DropboxKind | undefined {
  if (!/(?:^|\.)dropbox\.com$/.test(hostNameOf(url))) return undefined;
  if (url.path.startsWith("/scl/fi/")) return "file";
  return /^\/(?:scl\/fo|sc)\//.test(url.path) ? "folder" : undefined;
}

/** The address of a file's bytes, rather than of a page about it. */
export function rawAddress(address: string): string {
  const [beforeFragment = "", ...fragment] = address.split("#");
  const [path = "", ...rest] = beforeFragment.split("?");
  const parameters = rest
    .join("?")
    .split("&")
    .filter((parameter) => parameter !== "" && !/^raw(?:=|$)/.test(parameter));
  return [`${path}?${[...parameters, "raw=1"].join("&")}`, ...fragment].join("#");
}

export const dropboxTexts: Readonly<Record<DropboxKind, { title: string; description: string }>> = {
  file: { title: "Dropbox file", description: "Click to open file." },
  folder: { title: "Dropbox folder", description: "Click to open folder." },
};
