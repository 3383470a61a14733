import type { z } from "zod";
import type { navigationViewEvents } from "../navigation-views.ts";
import { change, type FollowedState } from "./followed-state.ts";

type NavigationViewEvent = z.output<(typeof navigationViewEvents)[number]>;

export const applyNavigationViewEvent = (state: FollowedState, event: NavigationViewEvent): FollowedState =>
  change(state, "navigation_views", (views) => {
    if (event.op === "add") return [...views, event.navigation_view];
    return views.flatMap((view) => {
      if (view.fragment !== event.fragment) return view;
      return event.op === "remove" ? [] : Object.assign({}, view, event.data);
    });
  });
