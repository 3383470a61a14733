/** Changes of views that show at once. Each resolves when the server has confirmed it, and rejects when it refuses. */
import { addNavigationView, editNavigationView, removeNavigationView } from "@skein/api/routes/navigation-views.ts";
import { call } from "../api/call.ts";
import { confirmed } from "./setting-stores.ts";
import { part } from "./state.ts";
import type { View } from "./views.ts";

const keyOf = (fragment: string): string => `view ${fragment}`;

export const addView = ({ fragment, name, isShown }: View): Promise<void> =>
  confirmed(
    {
      key: keyOf(fragment),
      event: { type: "navigation_view", op: "add", navigation_view: { fragment, name, is_pinned: isShown } },
      isConfirmedBy: (event) =>
        event.type === "navigation_view" && event.op === "add" && event.navigation_view.fragment === fragment,
    },
    () => call(addNavigationView, { fragment, is_pinned: isShown, ...(name === null ? {} : { name }) }),
  );

const editView = (fragment: string, data: { is_pinned: boolean } | { name: string }): Promise<void> =>
  confirmed(
    {
      key: keyOf(fragment),
      event: { type: "navigation_view", op: "update", fragment, data },
      isConfirmedBy: (event) =>
        event.type === "navigation_view" &&
        event.op === "update" &&
        event.fragment === fragment &&
        ("name" in data ? event.data.name === data.name : event.data.is_pinned === data.is_pinned),
    },
    () => call(editNavigationView, { fragment, ...data }),
  );

/** A known view is stored when it is first changed. */
export const showView = (view: View, isShown: boolean): Promise<void> =>
  part("navigation_views")
    .peek()
    ?.some(({ fragment }) => fragment === view.fragment)
    ? editView(view.fragment, { is_pinned: isShown })
    : addView({ ...view, isShown });

export const renameView = (fragment: string, name: string): Promise<void> => editView(fragment, { name: name.trim() });

export const removeView = (fragment: string): Promise<void> =>
  confirmed(
    {
      key: keyOf(fragment),
      event: { type: "navigation_view", op: "remove", fragment },
      isConfirmedBy: (event) =>
        event.type === "navigation_view" && event.op === "remove" && event.fragment === fragment,
    },
    () => call(removeNavigationView, { fragment }),
  );
