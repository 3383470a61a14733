/**
 * An organization's linkifiers: patterns that turn text such as `#123` into links. The engines for the regular expression
 * and the URL template are passed in; this file declares their interface.
 */

export interface LinkifierMatch {
  index: number;
  end: number;
  /** By name; a group that did not participate is empty. */
  groups: Readonly<Record<string, string>>;
}

/** Limits the cost of all searches of one rendering together. */
export interface LinkifierBudget {
  /** Called before the work is done. */
  allows: (units: number) => boolean;
  /** Whether linkifiers had to stop, so that matches may be missing. */
  readonly isSpent: boolean;
}

export interface CompiledLinkifier {
  /** The matches with valid boundaries, in order, without overlaps. */
  matchAll: (text: string, budget?: LinkifierBudget) => Iterable<LinkifierMatch>;
  /**
   * The URL for a match; undefined when it would be too long. It is not validated yet: the caller applies the URL
   * policy.
   */
  expand: (groups: LinkifierMatch["groups"]) => string | undefined;
}

/** The characters that a match may follow (besides the start of the text), as a character class in RE2's syntax. */
export const mayPrecede = String.raw`\s\pZ'"(,:<`;
/** The characters that may not follow a match, in the same form. */
export const mayNotFollow = String.raw`\pL\pN`;
