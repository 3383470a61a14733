/** Which views the reader has at the top of the sidebar: places that every client knows, and places with a name of their own. */
import { part } from "./state.ts";

/** These have a name in every client; here, the first ones are shown unless the reader hides them. */
export const usualViews = ["inbox", "narrow/is/mentioned", "narrow/is/starred", "drafts", "feed"] as const;
export const moreViews = ["recent", "scheduled", "narrow/has/reaction/sender/me"] as const;
export type KnownView = (typeof usualViews | typeof moreViews)[number];

export interface View {
  /** The address without the #. */
  fragment: string;
  /** Null for known views. */
  name: string | null;
  isShown: boolean;
}

/** Known views first, then the reader's own, the oldest first. */
export function allViews(): View[] {
  const stored = part("navigation_views").value ?? [];
  const known = (fragment: KnownView, isUsual: boolean): View => ({
    fragment,
    name: null,
    isShown: stored.find((view) => view.fragment === fragment)?.is_pinned ?? isUsual,
  });
  return [
    ...usualViews.map((fragment) => known(fragment, true)),
    ...moreViews.map((fragment) => known(fragment, false)),
    ...stored.flatMap(({ fragment, name, is_pinned }) => (name === null ? [] : { fragment, name, isShown: is_pinned })),
  ];
}
