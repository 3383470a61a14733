import * as api from "@skein/api/linkifiers.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addLinkifier, removeLinkifier, reorderLinkifiers, updateLinkifier } from "./actions.ts";
import { listLinkifiers } from "./queries.ts";
import { audited } from "../audit/audited.ts";
import { byCaller, lockHead, record } from "../audit/record.ts";

export const linkifierEndpoints: BoundEndpoint[] = [
  handle(api.getLinkifiers, async ({ ctx, user }) => ({ linkifiers: await listLinkifiers(ctx.db, user.realm_id) })),

  handle(api.addLinkifier, async ({ ctx, user, params, request }) => {
    const id = await transaction(ctx.db, "add linkifier", (tx) =>
      audited(tx, { user, request }, { kind: "linkifier", id: (made) => made, action: "linkifier.create" }, () =>
        addLinkifier(tx, user, params),
      ),
    );
    return { id };
  }),

  handle(api.updateLinkifier, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "update linkifier", (tx) =>
      audited(tx, { user, request }, { kind: "linkifier", id: params.filter_id, action: "linkifier.update" }, () =>
        updateLinkifier(tx, user, params.filter_id, params),
      ),
    );
    return {};
  }),

  handle(api.removeLinkifier, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "remove linkifier", (tx) =>
      audited(tx, { user, request }, { kind: "linkifier", id: params.filter_id, action: "linkifier.delete" }, () =>
        removeLinkifier(tx, user, params.filter_id),
      ),
    );
    return {};
  }),

  handle(api.reorderLinkifiers, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "reorder linkifiers", async (tx) => {
      await lockHead(tx, user.realm_id);
      await reorderLinkifiers(tx, user, params.ordered_linkifier_ids);
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "linkifier.reorder",
        target: { kind: "linkifier", id: null },
        after: { order: params.ordered_linkifier_ids },
      });
    });
    return {};
  }),
];
