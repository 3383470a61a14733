/** Navigation views: places that somebody keeps in the navigation of their clients. */
import { z } from "zod";
import { endpoint, json, restOfPath, textUpTo } from "./endpoint.ts";

export const maxFragmentLength = 1000;
export const maxViewNameLength = 100;

/** Places that clients know by themselves. They have no name of their own. */
export const builtInViews = [
  "inbox",
  "recent",
  "feed",
  "drafts",
  "narrow/has/reaction/sender/me",
  "narrow/is/mentioned",
  "narrow/is/starred",
  "scheduled",
  "reminders",
] as const;

export const navigationView = z
  .strictObject({
    fragment: z.string().describe("What follows `#` in the address."),
    is_pinned: z.boolean().describe("Whether it is always shown."),
    name: z.string().nullable().describe("Null for places that clients know by themselves."),
  })
  .meta({ id: "NavigationView" });
export type NavigationView = z.output<typeof navigationView>;

const area = "Navigation views";
const views = z.array(navigationView).describe("The caller's own, the oldest first.");
const path = "/navigation_views/{fragment}";
const fragmentInPath = restOfPath(textUpTo(maxFragmentLength)).describe(
  "The view, by its fragment, which may have slashes.",
);

export const getNavigationViews = endpoint({
  operation: "get-navigation-views",
  method: "GET",
  path: "/navigation_views",
  auth: "user",
  scope: "account",
  area,
  summary: "Get navigation views",
  description: "The caller's navigation views, the oldest first.",
  params: {},
  returns: { navigation_views: views },
});

export const addNavigationView = endpoint({
  operation: "add-navigation-view",
  method: "POST",
  path: "/navigation_views",
  auth: "user",
  scope: "account",
  area,
  summary: "Add a navigation view",
  description:
    "Keep a place in the navigation. Places that clients know by themselves have no name, all others need one.",
  params: {
    fragment: textUpTo(maxFragmentLength).describe("What follows `#` in the address."),
    is_pinned: json(z.boolean()).describe("Whether it is always shown."),
    name: textUpTo(maxViewNameLength).optional().describe("What it is called."),
  },
  returns: {},
});

export const editNavigationView = endpoint({
  operation: "edit-navigation-view",
  method: "PATCH",
  path,
  auth: "user",
  scope: "account",
  area,
  summary: "Update a navigation view",
  description: "Pin or rename one of the caller's navigation views.",
  params: {
    fragment: fragmentInPath,
    is_pinned: json(z.boolean()).optional().describe("Whether it is always shown."),
    name: textUpTo(maxViewNameLength).optional().describe("What it is called from now on."),
  },
  returns: {},
});

export const removeNavigationView = endpoint({
  operation: "remove-navigation-view",
  method: "DELETE",
  path,
  auth: "user",
  scope: "account",
  area,
  summary: "Remove a navigation view",
  description: "Remove one of the caller's navigation views.",
  params: { fragment: fragmentInPath },
  returns: {},
});

export const navigationViewState = { navigation_views: views };

export const navigationViewEvents = [
  z
    .strictObject({ type: z.literal("navigation_view"), op: z.literal("add"), navigation_view: navigationView })
    .describe("The reader added a navigation view."),
  z
    .strictObject({
      type: z.literal("navigation_view"),
      op: z.literal("update"),
      fragment: z.string(),
      data: z
        .strictObject({ is_pinned: z.boolean().optional(), name: z.string().optional() })
        .describe("What changed."),
    })
    .describe("The reader pinned or renamed a navigation view."),
  z
    .strictObject({ type: z.literal("navigation_view"), op: z.literal("remove"), fragment: z.string() })
    .describe("The reader removed a navigation view."),
] as const;

export const endpoints = [getNavigationViews, addNavigationView, editNavigationView, removeNavigationView];
