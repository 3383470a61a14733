import * as api from "@skein/api/linkifiers.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addLinkifier, removeLinkifier, reorderLinkifiers, updateLinkifier } from "./actions.ts";
import { listLinkifiers } from "./queries.ts";

export const linkifierEndpoints: BoundEndpoint[] = [
  handle(api.getLinkifiers, async ({ ctx, user }) => ({ linkifiers: await listLinkifiers(ctx.db, user.realm_id) })),

  handle(api.addLinkifier, async ({ ctx, user, params }) => {
    const id = await transaction(ctx.db, "add linkifier", (tx) => addLinkifier(tx, user, params));
    return { id };
  }),

  handle(api.updateLinkifier, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "update linkifier", (tx) => updateLinkifier(tx, user, params.filter_id, params));
    return {};
  }),

  handle(api.removeLinkifier, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove linkifier", (tx) => removeLinkifier(tx, user, params.filter_id));
    return {};
  }),

  handle(api.reorderLinkifiers, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "reorder linkifiers", (tx) => reorderLinkifiers(tx, user, params.ordered_linkifier_ids));
    return {};
  }),
];
