/** The links of a topic's name, which is plain text everywhere else. */
import { bareUrlsIn } from "./inline/bare-url.ts";
import type { CompiledLinkifier } from "./linkifier.ts";

export interface TopicLink {
  text: string;
  url: string;
}

interface Candidate extends TopicLink {
  index: number;
}

/**
 * In order of their place. Where two overlap, the earlier linkifier wins, then the earlier place; raw URLs give way.
 * Nothing is escaped and no scheme refused: that is left to whoever shows them.
 */
export function topicLinks(topic: string, linkifiers: readonly CompiledLinkifier[] = []): TopicLink[] {
  const candidates = [...linkifiers.flatMap((linkifier) => linkified(topic, linkifier)), ...rawUrls(topic)];
  const links: Candidate[] = [];
  for (const candidate of candidates) if (!links.some((link) => overlap(link, candidate))) links.push(candidate);
  return links.toSorted((a, b) => a.index - b.index).map(({ text, url }) => ({ text, url }));
}

function linkified(topic: string, linkifier: CompiledLinkifier): Candidate[] {
  return Array.from(linkifier.matchAll(topic), ({ index, end, groups }) => ({
    text: topic.slice(index, end),
    url: linkifier.expand(groups),
    // Clients count the character before it in.
    index: Math.max(0, index - 1),
  }));
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
