import * as api from "@skein/api/saved-snippets.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addSavedSnippet, editSavedSnippet, removeSavedSnippet } from "./actions.ts";
import { listSavedSnippets } from "./queries.ts";

export const savedSnippetEndpoints: BoundEndpoint[] = [
  handle(api.getSavedSnippets, async ({ ctx, user }) => ({ saved_snippets: await listSavedSnippets(ctx.db, user) })),

  handle(api.createSavedSnippet, async ({ ctx, user, params }) => ({
    saved_snippet_id: await transaction(ctx.db, "save snippet", (tx) => addSavedSnippet(tx, user, params)),
  })),

  handle(api.editSavedSnippet, async ({ ctx, user, params: { saved_snippet_id, ...change } }) => {
    await transaction(ctx.db, "edit saved snippet", (tx) => editSavedSnippet(tx, user, saved_snippet_id, change));
    return {};
  }),

  handle(api.deleteSavedSnippet, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "delete saved snippet", (tx) => removeSavedSnippet(tx, user, params.saved_snippet_id));
    return {};
  }),
];
