import type { Element } from "../tree.ts";

/** Rewrites the sources of all images and videos below an element. */
export function rewriteSources(element: Element, rewrite: (url: string) => string | undefined): void {
  for (const child of element.children) {
    const { src, ...others } = (child.tag === "img" || child.tag === "video" ? child.attributes : undefined) ?? {};
    if (src !== undefined) {
      const rewritten = rewrite(src);
      child.attributes = rewritten === undefined ? others : { ...others, src: rewritten };
    }
    rewriteSources(child, rewrite);
  }
}
