/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../drafts.ts";
import type { Route } from "../route.ts";

export const createDrafts: Route<typeof declared.createDrafts> = { method: "POST", path: "/drafts", texts: [] };
export const deleteDraft: Route<typeof declared.deleteDraft> = {
  method: "DELETE",
  path: "/drafts/{draft_id}",
  texts: [],
};
export const editDraft: Route<typeof declared.editDraft> = { method: "PATCH", path: "/drafts/{draft_id}", texts: [] };
export const getDrafts: Route<typeof declared.getDrafts> = { method: "GET", path: "/drafts", texts: [] };
