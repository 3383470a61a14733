/**
 * Where images and videos may be loaded from. URLs are parsed as browsers parse them (`/\x` is another host for them),
 * because a browser loads them.
 */
import { isPicturePath } from "@skein/api/picture-paths.ts";
import type { MarkdownContext } from "../context.ts";

/** On our own host, a file or a page that no message may load; on any other host, external. */
export type SourceKind = "own file" | "own page" | "external";

const unknownRealm = "http://realm.invalid";

/** `undefined` for an invalid URL. */
export function sourceKind(url: string, { realmUrl }: MarkdownContext): SourceKind | undefined {
  const base = URL.parse(realmUrl ?? unknownRealm) ?? undefined;
  const parsed = base && URL.parse(url, `${base.origin}/`);
  if (!parsed) return undefined;
  if (parsed.host !== base.host) return "external";
  return isPicturePath(parsed.pathname) ? "own file" : "own page";
}

/**
 * Maps each source to the URL it is loaded from: external ones go through the proxy, so that no reader's IP address
 * leaks. `undefined` for sources that must not be loaded.
 */
export function sourceRewriter(context: MarkdownContext): (url: string) => string | undefined {
  const { proxyUrl, realmUrl } = context;
  return (url) => {
    const kind = sourceKind(url, context);
    if (kind === "own file") return url;
    if (kind !== "external") return undefined;
    return proxyUrl === undefined ? url : proxyUrl(isAbsolute(url) ? url : new URL(url, realmUrl).href);
  };
}

const isAbsolute = (url: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(url);
