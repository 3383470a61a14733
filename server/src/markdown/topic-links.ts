/** The links in a topic's name, which is otherwise plain text. */
import { bareUrlsIn } from "./inline/bare-url.ts";
import type { CompiledLinkifier, LinkifierBudget } from "./linkifier.ts";
import { isAllowedScheme, splitUrl } from "./url-policy.ts";

export interface TopicLink {
  text: string;
  url: string;
}

interface Candidate extends TopicLink {
  index: number;
}

/**
 * In order of position. Where two overlap, the earlier linkifier wins, then the earlier position; linkifiers win over
 * raw URLs. Nothing is escaped: clients do that when they display the links. A linkifier whose URL has a scheme that is
 * not allowed in messages produces no link.
 */
export function topicLinks(
  topic: string,
  linkifiers: readonly CompiledLinkifier[] = [],
  budget?: LinkifierBudget,
): TopicLink[] {
  const candidates = [...linkifiers.flatMap((linkifier) => linkified(topic, linkifier, budget)), ...rawUrls(topic)];
  const links: Candidate[] = [];
  for (const candidate of candidates) if (!links.some((link) => overlap(link, candidate))) links.push(candidate);
  return links.toSorted((a, b) => a.index - b.index).map(({ text, url }) => ({ text, url }));
}

/** For many messages at once: they share one budget, and the links of each topic are computed once. */
export function topicLinksOfPage(
  linkifiers: readonly CompiledLinkifier[],
  budget: LinkifierBudget,
): (topic: string) => TopicLink[] {
  const found = new Map<string, TopicLink[]>();
  return (topic) => {
    const links = found.get(topic) ?? topicLinks(topic, linkifiers, budget);
    found.set(topic, links);
    return links;
  };
}

function linkified(topic: string, linkifier: CompiledLinkifier, budget?: LinkifierBudget): Candidate[] {
  if (budget?.isSpent === true) return [];
  return Array.from(linkifier.matchAll(topic, budget)).flatMap(({ index, end, groups }) => {
    const url = linkifier.expand(groups);
    // Clients include the preceding character in the match.
    const isAllowed = url !== undefined && isAllowedScheme(splitUrl(url)?.scheme ?? "unreadable");
    return isAllowed ? [{ text: topic.slice(index, end), url, index: Math.max(0, index - 1) }] : [];
  });
}

const separator = /[ !;),'"]/;

function rawUrls(topic: string): Candidate[] {
  // Most topics: no host, and no scheme.
  if (!/[.:]/.test(topic)) return [];
  const found: Candidate[] = [];
  let index = 0;
  for (const piece of topic.split(separator)) {
    const [first] = bareUrlsIn(piece);
    if (first) {
      const text = piece.slice(first.start, first.end);
      found.push({ text, url: withScheme(text), index: index + first.start });
    }
    index += piece.length + 1;
  }
  return found;
}

const withScheme = (url: string): string => (/^[a-z]+:/.test(url) ? url : `https://${url}`);

const overlap = (a: Candidate, b: Candidate): boolean =>
  a.index < b.index + b.text.length && b.index < a.index + a.text.length;
