/**
 * An organization's own links: a pattern that makes `#123` one. The regular expression and the URL template belong to
 * engines that are handed in; here is what they have to give.
 */

export interface LinkifierMatch {
  index: number;
  end: number;
  /** By name; a group that took no part is empty. */
  groups: Readonly<Record<string, string>>;
}

export interface CompiledLinkifier {
  /** Where the pattern matches and stands by itself, in order, without overlaps. */
  matchAll: (text: string) => Iterable<LinkifierMatch>;
  /** The address a match leads to. It is not judged yet: the caller asks the URL policy. */
  expand: (groups: LinkifierMatch["groups"]) => string;
}

/** What a match may follow, the start aside, as characters of a class in RE2's syntax. */
export const mayPrecede = String.raw`\s\pZ'"(,:<`;
/** What a match may not be followed by, likewise. */
export const mayNotFollow = String.raw`\pL\pN`;
