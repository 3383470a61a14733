/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../saved-snippets.ts";
import type { Route } from "../route.ts";

export const createSavedSnippet: Route<typeof declared.createSavedSnippet> = {
  method: "POST",
  path: "/saved_snippets",
  texts: ["title", "content"],
};
export const deleteSavedSnippet: Route<typeof declared.deleteSavedSnippet> = {
  method: "DELETE",
  path: "/saved_snippets/{saved_snippet_id}",
  texts: [],
};
export const editSavedSnippet: Route<typeof declared.editSavedSnippet> = {
  method: "PATCH",
  path: "/saved_snippets/{saved_snippet_id}",
  texts: ["title", "content"],
};
export const getSavedSnippets: Route<typeof declared.getSavedSnippets> = {
  method: "GET",
  path: "/saved_snippets",
  texts: [],
};
