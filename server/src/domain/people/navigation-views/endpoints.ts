import * as api from "@skein/api/navigation-views.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addView, removeView, updateView } from "./actions.ts";
import { listNavigationViews } from "./queries.ts";

export const navigationViewEndpoints: BoundEndpoint[] = [
  handle(api.getNavigationViews, async ({ ctx, user }) => ({
    navigation_views: await listNavigationViews(ctx.db, user),
  })),

  handle(api.addNavigationView, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "add navigation view", (tx) => addView(tx, user, params));
    return {};
  }),

  handle(api.editNavigationView, async ({ ctx, user, params: { fragment, ...change } }) => {
    await transaction(ctx.db, "edit navigation view", (tx) => updateView(tx, user, fragment, change));
    return {};
  }),

  handle(api.removeNavigationView, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove navigation view", (tx) => removeView(tx, user, params.fragment));
    return {};
  }),
];
