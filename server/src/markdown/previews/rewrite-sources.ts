import type { Element } from "../tree.ts";

const withSource: ReadonlySet<string> = new Set(["audio", "img", "video"]);

/** Rewrites the sources of all images, videos and audio files below an element. */
export function rewriteSources(element: Element, rewrite: (url: string) => string | undefined): void {
  for (const child of element.children) {
    const { src, ...others } = (withSource.has(child.tag) ? child.attributes : undefined) ?? {};
    if (src !== undefined) {
      const rewritten = rewrite(src);
      child.attributes = rewritten === undefined ? others : { ...others, src: rewritten };
    }
    rewriteSources(child, rewrite);
  }
}
