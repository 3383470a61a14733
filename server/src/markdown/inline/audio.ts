/** `![title](url)` of an audio file: a player in the text. */
import { trim } from "../characters.ts";
import type { MarkdownContext } from "../context.ts";
import { uploadPathOf } from "../previews/uploads.ts";
import { sourceKind } from "../previews/sources.ts";
import { finalElement } from "../tree.ts";
import { splitUrl } from "../url-policy.ts";
import { embeddedFiles } from "./embedded.ts";

/** The stored types of files that browsers play. */
const audioType = /^audio\/(?:aac|flac|mp4|mpeg|wav|webm)\s*(?:;|$)/i;
/** The endings that stand for these types. */
const audioPath = /\.(?:aac|flac|m4a|mp3|mp4a|mpga|wav|weba)$/i;

export const audio = embeddedFiles(({ href, label, title: second }, { context, effects }) => {
  if (second !== undefined || !isAudio(href, context)) return undefined;
  const pathId = uploadPathOf(href);
  if (pathId !== undefined) effects.attachmentPathIds.add(pathId);
  const title = trim(label);
  return finalElement("audio", "", {
    controls: "controls",
    ...(pathId === undefined && { "data-original-url": href }),
    preload: "metadata",
    src: href,
    ...(title !== "" && { title }),
  });
});

/** Of our own files the stored type decides, of others the ending. Without a proxy, others would see who listens. */
function isAudio(href: string, context: MarkdownContext): boolean {
  const pathId = uploadPathOf(href);
  if (pathId !== undefined) return audioType.test(context.attachments?.get(pathId) ?? "");
  const isOutside = context.proxyUrl !== undefined && sourceKind(href, context) === "external";
  return isOutside && /^https?:/i.test(href) && audioPath.test(splitUrl(href)?.path ?? "");
}
