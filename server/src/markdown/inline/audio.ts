/** `![title](url)` of an audio file: a player in the text. For anything else the text stays as it was typed. */
import { trim } from "../characters.ts";
import type { MarkdownContext } from "../context.ts";
import { uploadPathOf } from "../previews/uploads.ts";
import { sourceKind } from "../previews/sources.ts";
import { finalElement } from "../tree.ts";
import { splitUrl, toHref } from "../url-policy.ts";
import { Destinations } from "./link-destination.ts";
import { type InlinePass, Replacer } from "./pattern.ts";

/** The stored types of files that browsers play. */
const audioType = /^audio\/(?:aac|flac|mp4|mpeg|wav|webm)\s*(?:;|$)/i;
/** The endings that stand for these types. */
const audioPath = /\.(?:aac|flac|m4a|mp3|mp4a|mpga|wav|weba)$/i;
const opening = "![";

export const audio: InlinePass = (text, rendering) => {
  const { pieces, context, effects } = rendering;
  const replacer = new Replacer(text);
  const destinations = new Destinations();
  for (let start = text.indexOf(opening); start !== -1;) {
    const close = text.indexOf("](", start);
    if (close === -1) break;
    const found = destinations.findAt(text, close + 1);
    const href =
      found && found.title === undefined ? toHref(pieces.shownTextOf(found.url), context.realmUrl) : undefined;
    const from = start;
    start = text.indexOf(opening, start + opening.length);
    // Brackets do not nest here: an inner one would begin another file.
    if (found === undefined || href === undefined || (start !== -1 && start < close) || !isAudio(href, context))
      continue;
    const pathId = uploadPathOf(href);
    if (pathId !== undefined) effects.attachmentPathIds.add(pathId);
    const title = trim(pieces.sourceOf(text.slice(from + opening.length, close)));
    const element = finalElement("audio", "", {
      controls: "controls",
      ...(pathId === undefined && { "data-original-url": href }),
      preload: "metadata",
      src: href,
      ...(title !== "" && { title }),
    });
    replacer.replace(from, found.end, pieces.add(element, text.slice(from, found.end)));
    start = text.indexOf(opening, found.end);
  }
  return replacer.result;
};

/** Of our own files the stored type decides, of others the ending. Without a proxy, others would see who listens. */
function isAudio(href: string, context: MarkdownContext): boolean {
  const pathId = uploadPathOf(href);
  if (pathId !== undefined) return audioType.test(context.attachments?.get(pathId) ?? "");
  const isOutside = context.proxyUrl !== undefined && sourceKind(href, context) === "external";
  return isOutside && /^https?:/i.test(href) && audioPath.test(splitUrl(href)?.path ?? "");
}
