/** The organization's own patterns. All matches of one become links before the next one is looked for. */
import type { CompiledLinkifier } from "../linkifier.ts";
import { finalElement } from "../tree.ts";
import { toHref } from "../url-policy.ts";
import { type InlineRendering, Replacing } from "./pattern.ts";

function linkify(text: string, linkifier: CompiledLinkifier, { pieces, context }: InlineRendering): string {
  const replacing = new Replacing(text);
  for (const { index, end, groups } of linkifier.matchAll(text)) {
    const written = Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, pieces.sourceOf(value)]));
    const href = toHref(linkifier.expand(written), context.realmUrl);
    if (href === undefined) continue;
    const source = text.slice(index, end);
    replacing.replace(index, end, pieces.add(finalElement("a", pieces.sourceOf(source), { href }), source));
  }
  return replacing.result;
}

export const linkifiers = (text: string, rendering: InlineRendering): string =>
  (rendering.context.linkifiers ?? []).reduce((current, each) => linkify(current, each, rendering), text);
