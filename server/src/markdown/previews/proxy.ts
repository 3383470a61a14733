/** External images and videos are fetched through the proxy, so that no reader's address leaks. */
import type { MarkdownContext } from "../context.ts";
import type { Element } from "../tree.ts";
import { splitUrl } from "../url-policy.ts";

/** Gives each source the address it is to be loaded from. */
export function sourceRewriter({ proxyUrl, realmUrl }: MarkdownContext): (url: string) => string {
  if (proxyUrl === undefined) return (url) => url;
  const realm = splitUrl(realmUrl ?? "");
  return (url) => {
    const split = splitUrl(url);
    if (split === undefined || (split.scheme === "" && split.host === "")) return url;
    const isOwn = realm !== undefined && split.host === realm.host && split.scheme === realm.scheme;
    return isOwn ? url : proxyUrl(url);
  };
}

/** Rewrites the sources of all images and videos below an element. */
export function rewriteSources(element: Element, rewrite: (url: string) => string): void {
  for (const child of element.children) {
    const src = child.tag === "img" || child.tag === "video" ? child.attributes?.["src"] : undefined;
    if (src !== undefined) child.attributes = { ...child.attributes, src: rewrite(src) };
    rewriteSources(child, rewrite);
  }
}
