import * as api from "@skein/api/drafts.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accessDrafts } from "./access.ts";
import { addDrafts, removeDraft, replaceDraft } from "./actions.ts";
import { listDrafts } from "./queries.ts";

export const draftEndpoints: BoundEndpoint[] = [
  handle(api.getDrafts, async ({ ctx, user }) => {
    const drafts = await transaction(ctx.db, "list drafts", async (tx) => {
      await accessDrafts(tx, user);
      return listDrafts(tx, user);
    });
    return { count: drafts.length, drafts };
  }),

  handle(api.createDrafts, async ({ ctx, user, params }) => {
    const ids = await transaction(ctx.db, "add drafts", (tx) => addDrafts(tx, user, params.drafts));
    return { ids };
  }),

  handle(api.editDraft, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "replace draft", (tx) => replaceDraft(tx, user, params.draft_id, params.draft));
    return {};
  }),

  handle(api.deleteDraft, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove draft", (tx) => removeDraft(tx, user, params.draft_id));
    return {};
  }),
];
